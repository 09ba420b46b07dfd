"""Which matches share their chance with others that are not over, so that what it gave must not be known yet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sqlalchemy import FromClause, Select, bindparam, select

from ratings.statistics.scores import Firsts, match_firsts
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.values.states import MatchState

_REACH = 1
"""Blocks with one chance seed follow one another, and there are at most two of them."""
_OPEN = (MatchState.PLANNED, MatchState.LEASED)
_PART = 500

_m, _s, _t, _p = tables.match, tables.match_seat, tables.tournament, tables.pool


def awaited_matches(source: Source, matches: Collection[str]) -> dict[str, str]:
    """Return the game of each of these matches, by id, whose chance another match that is not over will meet.

    In pools of remote bots every match has a chance of its own, which no other meets.
    """
    wanted = sorted(matches)
    found: dict[str, str] = {}
    with read(source) as session:
        for start in range(0, len(wanted), _PART):
            rows = session.connection().execute(_AWAITED, {"matches": wanted[start : start + _PART]})
            found.update((row[0], row[1]) for row in rows)
    return found


def awaited_by(source: Source, match: str) -> list[str]:
    """Return the other matches that are not over and will meet the chance of this one: ids, as they are scheduled."""
    one, other = tables.block.alias("one"), tables.match.alias("other")
    query = open_beside(one, other).where(_m.c.id == match, one.c.id == _m.c.block_id).order_by(other.c.position)
    with read(source) as session:
        return list(session.connection().execute(query).scalars())


@dataclass(frozen=True, slots=True)
class EarlyResult:
    """How a version fared in a match that is over, in a block that is not."""

    version_id: str
    firsts: Firsts
    has_forfeited: bool
    has_result: bool = True
    """False if every seat of the match faulted before any of them acted."""


def early_results(source: Source, tournament_id: str) -> list[EarlyResult]:
    """Return the results, seat by seat, of the finished matches in blocks of a tournament that are not over."""
    pending = select(_m.c.block_id).where(_m.c.tournament_id == tournament_id, _m.c.state.in_(_OPEN)).distinct()
    query = (
        select(_s.c.match_id, _s.c.version_id, _s.c.rank, _s.c.forfeit.is_not(None), _m.c.rated)
        .join(_m, _m.c.id == _s.c.match_id)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.FINISHED, _m.c.block_id.in_(pending))
        .order_by(_s.c.match_id, _s.c.seat)
    )
    with read(source) as session:
        matches = groupby(session.connection().execute(query), key=itemgetter(0))
        results = []
        for seats in (list(group) for _, group in matches):
            all_firsts = match_firsts([rank for _, _, rank, *_ in seats])
            for (_, version_id, _, has_forfeited, is_valid), firsts in zip(seats, all_firsts, strict=True):
                results.append(EarlyResult(version_id, firsts if is_valid else Firsts(), has_forfeited, is_valid))
        return results


def _awaited() -> Select[str, str]:
    one, other = tables.block.alias("one"), tables.match.alias("other")
    return (
        select(_m.c.id, _p.c.game)
        .join(one, one.c.id == _m.c.block_id)
        .join(_t, _t.c.id == _m.c.tournament_id)
        .join(_p, _p.c.id == _t.c.pool_id)
        .where(_m.c.id.in_(bindparam("matches", expanding=True)), ~_p.c.remote, open_beside(one, other).exists())
    )


def open_beside(one: FromClause, other: FromClause) -> Select[str]:
    """Return the query for the other matches that are not over and share the chance of a match in block `one`."""
    near = tables.block.alias("near")
    # A joined string keeps the states from being where the search begins: it would go through all that are still to be
    # played, and from each through its whole tournament.
    return (
        select(other.c.id)
        .join(near, (other.c.tournament_id == near.c.tournament_id) & (other.c.block_id == near.c.id))
        .where(
            near.c.tournament_id == one.c.tournament_id,
            near.c.index.between(one.c.index - _REACH, one.c.index + _REACH),
            near.c.chance_seed == one.c.chance_seed,
            other.c.id != _m.c.id,
            other.c.state.concat("").in_(_OPEN),
        )
    )


_AWAITED = _awaited()
