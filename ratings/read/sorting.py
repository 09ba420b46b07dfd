"""Leaderboards in any order and narrowed to names, and the places of one bot in all pools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlmodel import Session

from ratings.read.leaderboard import LINES, POOL_OF, RatedPool, behind, line_of
from ratings.read.paging import Order, cut, place_of
from ratings.read.pools import pool_value
from ratings.store import tables
from ratings.store.models import PoolRecord
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow
from ratings.values.bots import Standing
from ratings.values.leaderboards import Leaderboard, LeaderboardRow

_r, _v, _b, _o = tables.rating, tables.version, tables.bot, tables.owner
COLUMNS: Final[Mapping[str, ColumnElement[Any]]] = {
    "rating": _r.c.exposure,
    "mu": _r.c.mu,
    "sigma": _r.c.sigma,
    "matches": _r.c.matches,
    "wins": 1.0 * _r.c.wins / _r.c.matches,
    "score": 1.0 * _r.c.points / _r.c.matches,
    "bot": _b.c.name,
}
"""What a leaderboard can be sorted by."""
_INDEXED: Final = "rating"
"""The one of them that an index of ratings knows."""
_LINES = LINES.where(_r.c.version_id.in_(bindparam("versions", expanding=True)))
# Sorted by a sum, SQLite finds these ratings by their versions; by the bare column it would go through the whole pool.
_NEIGHBOURS = (
    select(_r.c.exposure, func.lag(_r.c.exposure, 1, 1e308).over(order_by=(_r.c.exposure + 0.0).desc()).label("above"))
    .where(_r.c.pool_id == bindparam("pool"), _r.c.version_id.in_(bindparam("versions", expanding=True)))
    .subquery()
)
_other = _r.alias("other")
_BETWEEN = select(
    _NEIGHBOURS.c.exposure,
    select(func.count())
    .where(
        _other.c.pool_id == bindparam("pool"),
        _other.c.exposure > _NEIGHBOURS.c.exposure,
        _other.c.exposure <= _NEIGHBOURS.c.above,
    )
    .scalar_subquery()
    .label("better"),
).order_by(_NEIGHBOURS.c.exposure.desc())
"""How many are better than each of some versions, but not better than the next better one of them."""
# Ratings are found by pool and version alone: without the pools SQLite would go through all of them.
_STANDINGS = (
    select(_r, _v.c.number, _v.c.content_hash)
    .join(_v, _v.c.id == _r.c.version_id)
    .where(
        _r.c.pool_id.in_(select(tables.pool.c.id)),
        _r.c.version_id.in_(select(_v.c.id).where(_v.c.bot_id == bindparam("bot")).correlate(None)),
    )
)
_OF = select(func.count()).where(_r.c.pool_id == bindparam("pool"))


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which lines of a leaderboard are shown: those whose bot and owner hold these texts, in any case of letters."""

    name: str = ""
    owner: str = ""


def sorted_board(
    source: Source, row: RatedPool, by: str, *, is_descending: bool, only: Narrowing, limit: int, after: str | None
) -> Leaderboard:
    """Return a page of a leaderboard sorted by one of COLUMNS, ties by name. Raises PageError, KeyError."""
    order = Order(f"leaderboard {row.pool.pool_id} {by} {is_descending} {only.name} {only.owner}"[:500], (), (int,))
    start = 0 if after is None else place_of(order, after)
    query = _sorted(row.pool.pool_id, by, is_descending, only).limit(limit + 1).offset(start)
    with read(source) as session:
        page = cut(session.connection().execute(query).scalars().all(), order, limit, lambda _: (start + limit,))
        return picked_board(session, row, page.items, page.next)


def picked_board(source: Source, row: RatedPool, version_ids: Sequence[str], next_: str | None = None) -> Leaderboard:
    """Return the lines of these versions, in their order; of those that are not rated there is none."""
    with read(source) as session:
        lines = _picked_lines(session, row, version_ids)
        return Leaderboard(row.pool, row.matches, lines, behind(session, row.pool.pool_id), next_)


def _picked_lines(session: Session, row: RatedPool, version_ids: Sequence[str]) -> tuple[LeaderboardRow, ...]:
    if not version_ids:
        return ()
    which = {"pool": row.pool.pool_id, "versions": version_ids}
    ranks = _ranks(session, row.pool.pool_id, version_ids)
    found = session.connection().execute(_LINES, which).all()
    lines = {line.version_id: line_of(line, ranks[line.exposure], row.pool.seats) for line in found}
    return tuple(lines[version] for version in version_ids if version in lines)


def standings_of_bot(source: Source, bot_id: str) -> tuple[Standing, ...]:
    """Return the places of a bot's versions: the pool where they played most first, in it the newest version first."""
    with read(source) as session:
        rows = session.connection().execute(_STANDINGS, {"bot": bot_id}).all()
        found = [_standing(session, row) for row in rows]
    played: dict[str, int] = {}
    for row in rows:
        played[row.pool_id] = played.get(row.pool_id, 0) + row.matches
    return tuple(sorted(found, key=lambda one: (-played[one.pool.pool_id], one.pool.pool_id, -one.number)))


def _standing(session: Session, row: AnyRow) -> Standing:
    pool = pool_value(session.get_one(PoolRecord, row.pool_id))
    return Standing(
        pool=pool,
        version_id=row.version_id,
        number=row.number,
        content_hash=row.content_hash,
        rank=_ranks(session, row.pool_id, [row.version_id])[row.exposure],
        of=session.connection().execute(_OF, {"pool": row.pool_id}).scalar_one(),
        mu=row.mu,
        sigma=row.sigma,
        exposure=row.exposure,
        matches=row.matches,
        wins=row.wins,
        shared=row.shared,
        draws=row.draws,
        score=row.points / (2 * row.matches * (pool.seats - 1)),
    )


def _sorted(pool_id: str, by: str, is_descending: bool, only: Narrowing) -> Select[Any]:
    """Return the query for the ids of the versions in an order: everything else is looked up for one page alone."""
    column = COLUMNS[by].desc() if is_descending else COLUMNS[by].asc()
    if by == "bot":
        return _narrow(_by_bot(pool_id), only).order_by(column, _b.c.name, _v.c.number)
    of_pool = (_r.c.pool_id if by == _INDEXED else POOL_OF) == pool_id
    alone = select(_r.c.version_id).where(of_pool)
    if only == Narrowing():
        return alone.order_by(column, _r.c.exposure.desc(), _r.c.mu.desc(), _r.c.version_id)
    named = alone.join(_v, _v.c.id == _r.c.version_id).join(_b, _b.c.id == _v.c.bot_id)
    return _narrow(named, only).order_by(column, _b.c.name, _v.c.number)


def _by_bot(pool_id: str) -> Select[Any]:
    """Return the query that begins with the bots, whose names have an index, and not with all ratings of the pool.

    SQLite keeps to the order of outer joins, and so it has nothing to sort.
    """
    in_pool = (_r.c.version_id == _v.c.id) & (_r.c.pool_id == pool_id)
    from_bots = _b.outerjoin(_v, _v.c.bot_id == _b.c.id).outerjoin(_r, in_pool)
    return select(_r.c.version_id).select_from(from_bots).where(_r.c.version_id.is_not(None))


def _narrow(query: Select[Any], only: Narrowing) -> Select[Any]:
    if only.name:
        query = query.where(_b.c.name.icontains(only.name, autoescape=True))
    if only.owner:
        query = query.join(_o, _o.c.id == _b.c.owner_id)
        query = query.where(_o.c.name.icontains(only.owner, autoescape=True))
    return query


def _ranks(session: Session, pool_id: str, version_ids: Collection[str]) -> dict[float, int]:
    """Return the rank of these versions in the whole table, by their rating: 1 more than there are better ones.

    Between two neighbours among them the index is counted once, so a page costs one walk through it at most.
    """
    ranks, better = {}, 0
    which = {"pool": pool_id, "versions": version_ids}
    for exposure, more in session.connection().execute(_BETWEEN, which):
        better += more
        ranks[exposure] = better + 1
    return ranks
