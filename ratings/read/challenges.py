"""Challenges: tournaments in which an owner tries a bot against others, and how many of them are not over."""

from __future__ import annotations

from sqlalchemy import exists, func, or_, select

from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState

CHALLENGER = "challenger"
"""The key in the settings of a tournament under which the name of whoever challenged stands."""

_t, _m = tables.tournament, tables.match
_HAS_OPEN = exists().where(_m.c.tournament_id == _t.c.id, _m.c.state.in_((MatchState.PLANNED, MatchState.LEASED)))


def count_open_challenges(source: Source, challenger: str) -> int:
    """Return how many challenges of somebody are neither over nor cancelled."""
    query = (
        select(func.count())
        .select_from(_t)
        .where(~_t.c.rated, _t.c.cancelled_at_us.is_(None), or_(_t.c.more_waves, _HAS_OPEN))
        .where(_t.c.settings[CHALLENGER].as_string() == challenger)
    )
    with read(source) as session:
        return int(session.connection().execute(query).scalar_one())
