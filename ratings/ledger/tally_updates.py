"""Keeps up how the entrants of tournaments fare, in the transaction that records their results.

What is added match by match here, `counted` reads from all the facts at once; both must come to the same.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from engine.translatable import Text
from ratings.statistics.scores import match_firsts, match_points, points_between
from ratings.store import tables
from ratings.store.tables import AnyRow
from ratings.values.states import MatchState

_m, _s, _l, _t, _y = tables.match, tables.match_seat, tables.leak_check, tables.tournament, tables.entrant_tally
_p = tables.pool
_VERDICTS = {"equal": "equal", "leak": "leaks", "unstable": "unstable"}
KEYS = ("tournament_id", "version_id")
COUNTS = tuple(column.name for column in _y.columns if column.name not in KEYS)

_ANNULLED = select(tables.annulled_block.c.block_id)
_TOUCHED_BLOCKS = (
    select(_m.c.id, _m.c.block_id, _m.c.state, _m.c.rated, _s.c.version_id, _s.c.rank, _s.c.forfeit, _l.c.verdict)
    .join(_s, _s.c.match_id == _m.c.id)
    .outerjoin(_l, and_(_l.c.match_id == _s.c.match_id, _l.c.seat == _s.c.seat))
    .where(_m.c.tournament_id == bindparam("tournament"), _m.c.block_id.in_(bindparam("blocks", expanding=True)))
    .where(_m.c.block_id.not_in(_ANNULLED))
    .order_by(_m.c.block_id, _m.c.rotation, _s.c.seat)
)
_ADD = (
    update(_y)
    .where(_y.c.tournament_id == bindparam("the_tournament"), _y.c.version_id == bindparam("the_version"))
    .values({name: _y.c[name] + bindparam(f"more_{name}") for name in COUNTS})
)
_KNOWN = select(_y.c.version_id).where(
    _y.c.tournament_id == bindparam("tournament"), _y.c.version_id.in_(bindparam("versions", expanding=True))
)

_ANY: ColumnElement[int] = literal_column(str(2**63 - 1))

Counts = dict[str, int]


def count_results(connection: Connection, tournament_id: str, blocks: Mapping[str, str]) -> None:
    """Add matches of a tournament that were finished just now, each once, and the blocks that became whole by them.

    `blocks` tells the block of each of the matches.
    """
    which = {"tournament": tournament_id, "blocks": sorted(set(blocks.values()))}
    rows = connection.execute(_TOUCHED_BLOCKS, which)
    more: dict[str, Counts] = {}
    for _, block in groupby(rows, key=attrgetter("block_id")):
        for version_id, counts in _of_block([list(seats) for _, seats in groupby(block, attrgetter("id"))], blocks):
            own = more.setdefault(version_id, dict.fromkeys(COUNTS, 0))
            for name, count in counts.items():
                own[name] += count
    ask = {"tournament": tournament_id, "versions": list(more)}
    known = set(connection.execute(_KNOWN, ask).scalars())
    if new := [
        {"tournament_id": tournament_id, "version_id": version_id, **counts}
        for version_id, counts in more.items()
        if version_id not in known
    ]:
        connection.execute(insert(_y), new)
    if added := [
        {
            "the_tournament": tournament_id,
            "the_version": version_id,
            **{f"more_{name}": counts[name] for name in counts},
        }
        for version_id, counts in more.items()
        if version_id in known
    ]:
        connection.execute(_ADD, added)


def _of_block(matches: Sequence[Sequence[AnyRow]], news: Container[str]) -> Iterator[tuple[str, Counts]]:
    """Yield what a block adds to its versions: its new matches, and all of it if it became whole by them.

    Of a match without a valid result only forfeits and leak checks count.
    """
    is_whole = all(seats[0].state == MatchState.FINISHED and seats[0].rated for seats in matches)
    if is_whole:
        yield from ((version_id, {"blocks": 1}) for version_id in {seat.version_id for seat in matches[0]})
    for seats in matches:
        if is_whole or seats[0].id in news:
            ranks = [seat.rank for seat in seats]
            for seat, first, points in zip(seats, match_firsts(ranks), match_points(ranks), strict=True):
                if seats[0].id in news:
                    verdict = {} if seat.verdict is None else {_VERDICTS.get(seat.verdict, "unknown"): 1}
                    result = {"matches": 1, **first._asdict(), "points": points} if seat.rated else {}
                    yield seat.version_id, {**result, "forfeits": int(seat.forfeit is not None), **verdict}
                if is_whole:
                    yield seat.version_id, {"block_matches": 1, "block_points": points}


def counted(tournaments: Select[str] | None = None) -> Select[*tuple[Any, ...]]:
    """Return the query for the rows of `entrant_tally`, of all tournaments or of some, as the facts give them.

    Blocks that were annulled are left out.
    """
    # Of rows that are limited the database makes each once: else it would count the points anew at every mention.
    seat = _seats(tournaments).limit(_ANY).subquery()
    is_whole, is_first, others = seat.c.broken.is_(None), seat.c.rank == 1, _p.c.seats - 1
    # The points of a first seat tell how many are level with it, so that these need not be counted.
    is_alone = seat.c.points == points_between(1, 2) * others
    is_level = seat.c.points == points_between(1, 1) * others

    def count(condition: Any) -> Any:
        return func.sum(case((condition, 1), else_=0))

    return (
        select(
            seat.c.tournament_id,
            seat.c.version_id,
            func.count(seat.c.rank).label("matches"),
            count(is_first & is_alone).label("wins"),
            count(is_first & ~is_alone & ~is_level).label("shared"),
            count(is_first & is_level & ~is_alone).label("draws"),
            func.sum(seat.c.points).label("points"),
            count(seat.c.forfeit.is_not(None)).label("forfeits"),
            func.count(func.distinct(case((is_whole, seat.c.block_id)))).label("blocks"),
            count(is_whole).label("block_matches"),
            func.sum(case((is_whole, seat.c.points), else_=0)).label("block_points"),
            *(count(seat.c.verdict == verdict).label(name) for verdict, name in _VERDICTS.items()),
            count(seat.c.verdict.not_in(list(_VERDICTS))).label("unknown"),
        )
        .join(_t, _t.c.id == seat.c.tournament_id)
        .join(_p, _p.c.id == _t.c.pool_id)
        .group_by(seat.c.tournament_id, seat.c.version_id)
    )


def _seats(tournaments: Select[str] | None) -> Select[*tuple[Any, ...]]:
    """Return the query for the seats of all finished matches, with their points and whether their block is whole.

    Seats of a match without a valid result have no rank and no points.
    """
    other, rest = _s.alias("other"), _m.alias("rest")
    ahead, level = points_between(1, 2), points_between(1, 1)
    rank = case((_m.c.rated, _s.c.rank))
    gained = case((rank < other.c.rank, ahead), (rank == other.c.rank, level), else_=0)
    points = (
        select(func.coalesce(func.sum(gained), 0))
        .where(other.c.match_id == _s.c.match_id, other.c.seat != _s.c.seat)
        .correlate(_s, _m)
        .scalar_subquery()
    )
    is_broken = or_(rest.c.state != MatchState.FINISHED, ~rest.c.rated)
    broken = select(rest.c.block_id).where(is_broken).distinct().subquery()
    query = (
        select(
            _m.c.tournament_id,
            _m.c.block_id,
            _s.c.version_id,
            rank.label("rank"),
            _s.c.forfeit,
            points.label("points"),
            broken.c.block_id.label("broken"),
            _l.c.verdict,
        )
        .join(_s, _s.c.match_id == _m.c.id)
        .outerjoin(broken, broken.c.block_id == _m.c.block_id)
        .outerjoin(_l, and_(_l.c.match_id == _s.c.match_id, _l.c.seat == _s.c.seat))
        .where(_m.c.state == MatchState.FINISHED, _m.c.block_id.not_in(_ANNULLED))
    )
    return query if tournaments is None else query.where(_m.c.tournament_id.in_(tournaments))


def of_pool(pool_id: str) -> Select[str]:
    """Return the query for the ids of a pool's tournaments."""
    return select(_t.c.id).where(_t.c.pool_id == pool_id)


def rebuild(connection: Connection, tournaments: Select[str]) -> None:
    """Count tournaments anew from the facts."""
    connection.execute(delete(_y).where(_y.c.tournament_id.in_(tournaments)))
    connection.execute(insert(_y).from_select([*KEYS, *COUNTS], counted(tournaments)))


def tally_problems(connection: Connection, pool_id: str | None = None) -> Iterator[str]:
    """Yield every tally, of all tournaments or of those of a pool, that is not what the facts give."""
    stored = select(*(_y.c[name] for name in (*KEYS, *COUNTS)))
    if pool_id is not None:
        stored = stored.where(_y.c.tournament_id.in_(of_pool(pool_id)))
    there = {tuple(row) for row in connection.execute(stored)}
    should = {tuple(row) for row in connection.execute(counted(of_pool(pool_id) if pool_id else None))}
    for tournament_id, version_id in sorted({row[:2] for row in there ^ should}):
        yield Text(
            "tournament {tournament}: the tally of version {version} is not what the facts give",
            tournament=tournament_id,
            version=version_id,
        )
