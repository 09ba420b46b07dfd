"""Which blocks are not over, so that what their chance gave must not be known yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, select

from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.store.states import MatchState

_REACH = 1
"""Blocks with one chance seed follow one another, and there are at most two of them."""
_OPEN = (MatchState.PLANNED, MatchState.LEASED)
_PART = 500

_m, _s, _t, _p = tables.match, tables.match_seat, tables.tournament, tables.pool


def open_blocks(source: Source, blocks: Collection[str]) -> dict[str, str]:
    """Return the game of each of these blocks, named by id, that shares its chance seed with a match not over yet."""
    wanted = sorted(blocks)
    found: dict[str, str] = {}
    with read(source) as session:
        for start in range(0, len(wanted), _PART):
            rows = session.connection().execute(_open_among(wanted[start : start + _PART]))
            found.update((row[0], row[1]) for row in rows)
    return found


def blocks_of(source: Source, matches: Sequence[str]) -> dict[str, str]:
    """Return the block of each of these matches, both by id."""
    found: dict[str, str] = {}
    with read(source) as session:
        for start in range(0, len(matches), _PART):
            query = select(_m.c.id, _m.c.block_id).where(_m.c.id.in_(matches[start : start + _PART]))
            found.update((row[0], row[1]) for row in session.connection().execute(query))
    return found


@dataclass(frozen=True, slots=True)
class EarlyResult:
    """How a version fared in a match that is over, in a block that is not."""

    version_id: str
    rank: int
    has_forfeited: bool


def early_results(source: Source, tournament_id: str) -> list[EarlyResult]:
    """Return the results, seat by seat, of the finished matches in blocks of a tournament that are not over."""
    pending = select(_m.c.block_id).where(_m.c.tournament_id == tournament_id, _m.c.state.in_(_OPEN)).distinct()
    query = (
        select(_s.c.version_id, _s.c.rank, _s.c.forfeit.is_not(None))
        .join(_m, _m.c.id == _s.c.match_id)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.FINISHED, _m.c.block_id.in_(pending))
    )
    with read(source) as session:
        return [EarlyResult(*row) for row in session.connection().execute(query)]


def _open_among(blocks: Sequence[str]) -> Select[str, str]:
    one, near = tables.block.alias("one"), tables.block.alias("near")
    # A joined string keeps the states from being where the search begins: it would go through all that are still to be
    # played, and from each through its whole tournament.
    is_waiting = (
        select(_m.c.id)
        .join(near, (_m.c.tournament_id == near.c.tournament_id) & (_m.c.block_id == near.c.id))
        .where(
            near.c.tournament_id == one.c.tournament_id,
            near.c.index.between(one.c.index - _REACH, one.c.index + _REACH),
            near.c.chance_seed == one.c.chance_seed,
            _m.c.state.concat("").in_(_OPEN),
        )
        .exists()
    )
    return (
        select(one.c.id, _p.c.game)
        .join(_t, _t.c.id == one.c.tournament_id)
        .join(_p, _p.c.id == _t.c.pool_id)
        .where(one.c.id.in_(blocks), is_waiting)
    )
