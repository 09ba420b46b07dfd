"""How long the newest matches of some versions in a pool took, for estimates of the time that others will."""

from __future__ import annotations

from collections.abc import Collection
from statistics import fmean

from sqlalchemy import select

from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState

_m, _s, _t = tables.match, tables.match_seat, tables.tournament
_MOST_TOURNAMENTS = 20
_MOST_MATCHES = 500


def mean_duration(source: Source, pool_id: str, version_ids: Collection[str]) -> tuple[int, int]:
    """Return from how many matches among these versions alone it is known, and how long one takes on average.

    That is in microseconds of wall time, and the mean of the versions' own means: who has played most does not count
    most, since in most of what is planned all sit about equally often. It is zeros if none was played. A few hundred
    matches of the newest tournaments of the pool are looked at, however many there are. Matches of others say nothing:
    how long a bot thinks is its own.
    """
    other = select(_s.c.seat).where(_s.c.match_id == _m.c.id, _s.c.version_id.not_in(version_ids)).exists()
    with read(source) as session:
        newest = select(_t.c.id).where(_t.c.pool_id == pool_id).order_by(_t.c.id.desc()).limit(_MOST_TOURNAMENTS)
        found = session.connection().execute(newest).scalars().all()
        query = select(_m.c.id, _m.c.duration_us).where(
            _m.c.tournament_id.in_(found), _m.c.state == MatchState.FINISHED, _m.c.duration_us.is_not(None), ~other
        )
        played = query.limit(_MOST_MATCHES).subquery()
        seats = select(played.c.id, played.c.duration_us, _s.c.version_id).join(_s, _s.c.match_id == played.c.id)
        rows = session.connection().execute(seats).all()
    durations: dict[str, list[int]] = {}
    for _, duration_us, version_id in rows:
        durations.setdefault(version_id, []).append(duration_us)
    means = [fmean(own) for own in durations.values()]
    return len({row.id for row in rows}), round(fmean(means)) if means else 0


def has_played(source: Source, pool_id: str) -> bool:
    """Return whether a match of the pool was finished."""
    query = select(_m.c.id).join(_t, _t.c.id == _m.c.tournament_id)
    with read(source) as session:
        finished = query.where(_t.c.pool_id == pool_id, _m.c.state == MatchState.FINISHED).limit(1)
        return session.connection().execute(finished).first() is not None
