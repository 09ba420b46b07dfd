"""How long the newest matches of a pool took, for estimates of the time that others will."""

from __future__ import annotations

from sqlalchemy import select

from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.states import MatchState

_m, _t = tables.match, tables.tournament
_MOST_TOURNAMENTS = 20
_MOST_MATCHES = 500


def mean_duration(source: Source, pool_id: str) -> tuple[int, int]:
    """Return from how many matches, and their mean duration in microseconds of wall time; zeros if none was played.

    A few hundred matches of the newest tournaments of the pool are looked at, however many there are.
    """
    with read(source) as session:
        newest = select(_t.c.id).where(_t.c.pool_id == pool_id).order_by(_t.c.id.desc()).limit(_MOST_TOURNAMENTS)
        found = session.connection().execute(newest).scalars().all()
        query = select(_m.c.duration_us).where(
            _m.c.tournament_id.in_(found), _m.c.state == MatchState.FINISHED, _m.c.duration_us.is_not(None)
        )
        durations = session.connection().execute(query.limit(_MOST_MATCHES)).scalars().all()
    return len(durations), sum(durations) // len(durations) if durations else 0
