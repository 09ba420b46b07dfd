"""Leaderboards of pools: in the order of ratings or any other, narrowed to names, and the places of one bot in all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlmodel import Session
from sqlmodel import select as select_models

from engine.translatable import Text
from ratings.errors import NotFoundError, PageError
from ratings.read.paging import Order, cut, each, need_rows, part_of, place_of
from ratings.read.pool_lookup import pool_value
from ratings.store import tables
from ratings.store.models import PoolRecord
from ratings.store.rating import PendingRatingRecord
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow
from ratings.values.leaderboards import Leaderboard, LeaderboardRow, Standing
from ratings.values.page import Page
from ratings.values.pools import Pool

_r, _v, _b, _o, _w = tables.rating, tables.version, tables.bot, tables.owner, tables.pending_rating
_s = tables.rating_order
_MOST_ROWS = 10_000
"""So many rows the leaderboards of a page have together."""
POOL_OF: Final = func.coalesce(_r.c.pool_id, "")
"""The pool of a rating where all ratings of it are wanted: written so, SQLite reads the table from end to end.

By an index it would look up each row by itself, which takes four times as long.
"""
_COUNTS: Final = (func.count().label("n"), func.coalesce(func.sum(_r.c.matches), 0).label("seats"))
_OF_EACH = select(POOL_OF.label("pool_id"), *_COUNTS).group_by(POOL_OF).subquery()
_POOLS = (
    select_models(PoolRecord, func.coalesce(_OF_EACH.c.n, 0), func.coalesce(_OF_EACH.c.seats, 0))
    .join(_OF_EACH, _OF_EACH.c.pool_id == tables.pool.c.id, isouter=True)
    .join(_w, _w.c.pool_id == tables.pool.c.id, isouter=True)
    .where(_OF_EACH.c.n.is_not(None) | _w.c.pool_id.is_not(None))
)
_OF_ONE = select(*_COUNTS).where(bindparam("pool") == POOL_OF)
LINES: Final = (
    select(_r, _v.c.number, _v.c.content_hash, _b.c.name.label("bot"), _b.c.disabled_at_us, _o.c.name.label("owner"))
    .join(_v, _v.c.id == _r.c.version_id)
    .join(_b, _b.c.id == _v.c.bot_id)
    .outerjoin(_o, _o.c.id == _b.c.owner_id)
    .where(_r.c.pool_id == bindparam("pool"))
)
"""All that `line_of` needs."""
_TABLE = LINES.order_by(_r.c.exposure.desc(), _r.c.mu.desc(), _b.c.name, _v.c.number)
_BETTER = select(func.count()).where(_r.c.pool_id == bindparam("pool"), _r.c.exposure > bindparam("exposure"))
_PENDING = select(_w.c.first_seq).where(_w.c.pool_id == bindparam("pool"))
_LAST = select(func.max(_s.c.rating_seq)).where(_s.c.pool_id == bindparam("pool"))
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
class RatedPool:
    """A pool with the number of versions and of matches that are rated in it."""

    pool: Pool
    versions: int
    matches: int


def leaderboards(
    source: Source, rows: Sequence[RatedPool] | None = None, *, limit: int | None = None, after: str | None = None
) -> Page[Leaderboard]:
    """Return the leaderboards of all pools in which something was rated, the busiest first, or those of these pools.

    Each has the best `limit` rows, and a cursor for the rest of it. The more rows, the fewer tables make a page.
    `after` is the cursor of a page or of a table. Raises PageError.
    """
    with read(source) as session:
        need_rows(limit)
        chosen = pools(session) if rows is None else rows
        of_table = None if after is None else _within_table(after, chosen)
        if of_table is not None:
            row, start = of_table
            return Page((_board(session, row, limit, start),), None)
        at_once = None if limit is None else max(1, _MOST_ROWS // limit)
        return each(part_of(chosen, "pools", at_once, after), lambda row: _board(session, row, limit))


def _within_table(cursor: str, rows: Sequence[RatedPool]) -> tuple[RatedPool, int] | None:
    """Return the pool whose table goes on at a cursor and the place there, or `None` for a cursor of the pools."""
    for row in rows:
        with suppress(PageError):
            return row, place_of(_order(row), cursor)
    return None


def _order(row: RatedPool) -> Order:
    return Order(f"leaderboard {row.pool.pool_id}", (), (int,))


def _board(session: Session, row: RatedPool, limit: int | None, start: int = 0) -> Leaderboard:
    lag = behind(session, row.pool.pool_id)
    found = _lines(session, row.pool, None if limit is None else limit + 1, start)
    if limit is None:
        return Leaderboard(row.pool, row.matches, tuple(found), lag)
    page = cut(found, _order(row), limit, lambda _: (start + limit,))
    return Leaderboard(row.pool, row.matches, page.items, lag, page.next)


def behind(source: Source, pool_id: str) -> int:
    """Return how many matches of a pool are still to be rated anew because results were annulled."""
    with read(source) as session:
        first: int | None = session.connection().execute(_PENDING, {"pool": pool_id}).scalar_one_or_none()
        if first is None:
            return 0
        last: int | None = session.connection().execute(_LAST, {"pool": pool_id}).scalar_one()
        return max(0, (last or 0) - first + 1)


def unfinished_pools(source: Source) -> list[tuple[str, tuple[int, int]]]:
    """Return the pools whose ratings are being computed anew, each with a mark that changes when that gets on."""
    with read(source) as session:
        return [(one.pool_id, (one.first_seq, one.asked)) for one in session.exec(select_models(PendingRatingRecord))]


def pools(source: Source) -> list[RatedPool]:
    """Return all pools in which something was rated, or is being rated anew, the busiest first."""
    with read(source) as session:
        found = [_rated(pool, count, seats) for pool, count, seats in session.exec(_POOLS)]
        return sorted(found, key=lambda row: (-row.matches, row.pool.game, row.pool.pool_id))


def rated_pool(source: Source, pool: PoolRecord) -> RatedPool:
    """Return a pool with what is rated in it."""
    with read(source) as session:
        count, seats = session.connection().execute(_OF_ONE, {"pool": pool.id}).one()
        return _rated(pool, count, seats)


def _rated(pool: PoolRecord, versions: int, seats: int) -> RatedPool:
    return RatedPool(pool_value(pool), int(versions), int(seats) // pool.seats)


def table(source: Source, *, pool_id: str, limit: int | None = None, start: int = 0) -> list[LeaderboardRow]:
    """Return the leaderboard of a pool: the best exposure first, then the best mu, then by name and number.

    With `start`, from that place on, counted from 0.

    Raises NotFoundError.
    """
    with read(source) as session:
        pool = session.get(PoolRecord, pool_id)
        if pool is None:
            raise NotFoundError(Text("no pool {pool}; see: arena leaderboard", pool=pool_id))
        return _lines(session, pool_value(pool), limit, start)


def _lines(session: Session, pool: Pool, limit: int | None, start: int) -> list[LeaderboardRow]:
    connection = session.connection()
    lines = connection.execute(_TABLE.limit(limit).offset(start), {"pool": pool.pool_id}).all()
    if not lines:
        return []
    better = connection.execute(_BETTER, {"pool": pool.pool_id, "exposure": lines[0].exposure}).scalar_one()
    rows: list[LeaderboardRow] = []
    for place, line in enumerate(lines, start=start + 1):
        shared = bool(rows) and rows[-1].exposure == line.exposure
        rank = 1 + better if not rows else rows[-1].rank if shared else place
        rows.append(line_of(line, rank, pool.seats))
    return rows


def line_of(line: AnyRow, rank: int, seats: int) -> LeaderboardRow:
    """Return what LINES found about a version as a line of a table, in a pool with so many seats."""
    return LeaderboardRow(
        rank=rank,
        version_id=line.version_id,
        bot=line.bot,
        number=line.number,
        content_hash=line.content_hash,
        owner=line.owner,
        mu=line.mu,
        sigma=line.sigma,
        exposure=line.exposure,
        matches=line.matches,
        wins=line.wins,
        shared=line.shared,
        draws=line.draws,
        score=line.points / (2 * line.matches * (seats - 1)),
        disabled=line.disabled_at_us is not None,
    )


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
        lines: dict[str, LeaderboardRow] = {}
        if version_ids:
            ranks = _ranks(session, row.pool.pool_id, version_ids)
            found = session.connection().execute(_LINES, {"pool": row.pool.pool_id, "versions": version_ids})
            lines = {line.version_id: line_of(line, ranks[line.exposure], row.pool.seats) for line in found}
        picked = tuple(lines[version] for version in version_ids if version in lines)
        return Leaderboard(row.pool, row.matches, picked, behind(session, row.pool.pool_id), next_)


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
        # It begins with the bots, whose names have an index, and not with all ratings of the pool: SQLite keeps to the
        # order of outer joins, and so it has nothing to sort.
        in_pool = (_r.c.version_id == _v.c.id) & (_r.c.pool_id == pool_id)
        from_bots = _b.outerjoin(_v, _v.c.bot_id == _b.c.id).outerjoin(_r, in_pool)
        named = select(_r.c.version_id).select_from(from_bots).where(_r.c.version_id.is_not(None))
        return _narrow(named, only).order_by(column, _b.c.name, _v.c.number)
    of_pool = (_r.c.pool_id if by == _INDEXED else POOL_OF) == pool_id
    alone = select(_r.c.version_id).where(of_pool)
    if only == Narrowing():
        return alone.order_by(column, _r.c.exposure.desc(), _r.c.mu.desc(), _r.c.version_id)
    named = alone.join(_v, _v.c.id == _r.c.version_id).join(_b, _b.c.id == _v.c.bot_id)
    return _narrow(named, only).order_by(column, _b.c.name, _v.c.number)


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
