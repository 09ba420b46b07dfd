"""Tournaments that are not over: what a service has to play."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import exists, or_, select

from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState

_t, _m, _e, _p = tables.tournament, tables.match, tables.entrant, tables.pool
_OPEN_STATES = (MatchState.PLANNED, MatchState.LEASED)
_HAS_OPEN = exists().where(_m.c.tournament_id == _t.c.id, _m.c.state.in_(_OPEN_STATES))
_IS_SEASON = exists().where(tables.season.c.tournament_id == _t.c.id)
_UNFINISHED = (
    select(_t.c.id, _t.c.name, _t.c.format, _t.c.created_at_us, _p.c.remote)
    .join(_p, _p.c.id == _t.c.pool_id)
    .where(_t.c.cancelled_at_us.is_(None), or_(_t.c.more_waves, _HAS_OPEN), ~_IS_SEASON)
    .order_by(_t.c.id)
)
_PRESENT = select(_e.c.version_id).where(_e.c.withdrawn_wave.is_(None)).order_by(_e.c.position)


@dataclass(frozen=True, slots=True)
class UnfinishedTournament:
    """A tournament of which something is left to play or to plan."""

    id: str
    name: str
    format: str
    created_at_us: int
    remote: bool
    """Whether remote bots play in it, so that only a service can play it."""


def unfinished_tournaments(source: Source) -> list[UnfinishedTournament]:
    """Return all tournaments that are neither over nor cancelled nor a ladder's season, the oldest first."""
    with read(source) as session:
        rows = session.connection().execute(_UNFINISHED)
        return [UnfinishedTournament(row.id, row.name, row.format, row.created_at_us, row.remote) for row in rows]


def present_entrants(source: Source, tournament_id: str) -> tuple[str, ...]:
    """Return the ids of the versions that take part in a tournament and have not withdrawn, in the order of entry."""
    with read(source) as session:
        query = _PRESENT.where(_e.c.tournament_id == tournament_id)
        return tuple(row.version_id for row in session.connection().execute(query))
