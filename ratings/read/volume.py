"""How much a database holds, and how fast it grows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from ratings.store import tables
from ratings.store.ids import now_us
from ratings.store.sessions import Source, read
from ratings.store.states import MatchState

_m = tables.match
_FINISHED = select(func.count()).where(_m.c.state == MatchState.FINISHED)
_DAY_US = 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Volume:
    """The matches of a database."""

    finished: int
    """The matches with a result."""
    last_day: int
    """Those of them that began in the last 24 hours."""


def volume(source: Source, at_us: int | None = None) -> Volume:
    """Return how many matches there are, and how many of them began in the 24 hours before `at_us` (now)."""
    since_us = (now_us() if at_us is None else at_us) - _DAY_US
    with read(source) as session:
        connection = session.connection()
        finished = connection.execute(_FINISHED).scalar_one()
        last_day = connection.execute(_FINISHED.where(_m.c.started_at_us >= since_us)).scalar_one()
    return Volume(finished, last_day)
