"""Who has leased matches of a tournament."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, func, select

from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.states import MatchState

_m, _a = tables.match, tables.attempt
_LEASED = (
    select(_a.c.worker, func.min(_a.c.leased_at_us).label("since_us"), func.max(_a.c.deadline_us).label("deadline_us"))
    .join(_m, (_m.c.id == _a.c.match_id) & (_m.c.attempt == _a.c.number))
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.state == MatchState.LEASED)
    .group_by(_a.c.worker)
)


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker has leased of a tournament."""

    worker: str
    """Its name, of a run `HOST:PID`."""
    since_us: int
    """When it took the oldest of the matches; microseconds since 1970."""
    deadline_us: int
    """Until when it has the newest."""


def newest_lease(source: Source, tournament_id: str) -> Lease | None:
    """Return what the worker has leased whose lease runs out last, or `None` if nothing is leased."""
    with read(source) as session:
        found = session.connection().execute(_LEASED, {"tournament": tournament_id}).all()
    leases = [Lease(row.worker, row.since_us, row.deadline_us) for row in found]
    return max(leases, key=lambda lease: lease.deadline_us, default=None)
