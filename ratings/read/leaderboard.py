"""The tables of ratings that people look at: pools, leaderboards, the history of a rating."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import func
from sqlmodel import Session, col, select

from ratings.errors import NotFoundError, PageError
from ratings.read.paging import Order, Page, cut, each, need_rows, one_page, part_of, place_of
from ratings.store import tables
from ratings.store.models import Bot, Owner, Pool, Rating, RatingChange, RatingOrder, Version
from ratings.store.sessions import Source, read
from ratings.store.tallies import PendingRating

_MOST_ROWS = 10_000
"""So many rows the leaderboards of a page have together."""
_c = tables.rating_change
_HISTORY = Order("history", (_c.c.rating_seq, _c.c.seat), (int, int))


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A pool with the number of versions and of matches that are rated in it."""

    pool: Pool
    versions: int
    matches: int


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One line of a leaderboard."""

    rank: int
    """1 is best; equal exposures share a rank."""
    version_id: str
    bot: str
    number: int
    content_hash: str
    owner: str | None
    mu: float
    sigma: float
    exposure: float
    """The figure that is shown and sorted by: mu - 3 sigma."""
    matches: int
    wins: int
    """How many matches it ended with rank 1, alone or shared."""
    score: float
    """The part of the opponents met that were beaten, 0 to 1; a tie counts half."""
    disabled: bool


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A pool and its table, best first."""

    row: PoolRow
    table: list[LeaderboardRow]
    behind: int = 0
    """How many matches are still to be rated anew because results were annulled; 0: the table counts everything."""
    next: str | None = None
    """The cursor that gives the rest of this table alone."""


def leaderboards(
    source: Source,
    pool_ids: Collection[str] | None = None,
    *,
    limit: int | None = None,
    after: str | None = None,
) -> Page[Leaderboard]:
    """Return the leaderboards of all pools in which something was rated, or of those named, the busiest first.

    Each has the best `limit` rows, and a cursor for the rest of it. The more rows, the fewer tables make a page.
    `after` is the cursor of a page or of a table. Raises PageError.
    """
    with read(source) as session:
        need_rows(limit)
        chosen = [row for row in pools(session) if pool_ids is None or row.pool.id in pool_ids]
        of_table = None if after is None else _within_table(after, chosen)
        if of_table is not None:
            row, start = of_table
            return Page((_board(session, row, limit, start),), None)
        at_once = None if limit is None else max(1, _MOST_ROWS // limit)
        return each(part_of(chosen, "pools", at_once, after), lambda row: _board(session, row, limit))


def _within_table(cursor: str, rows: Sequence[PoolRow]) -> tuple[PoolRow, int] | None:
    """Return the pool whose table goes on at a cursor and the place there, or `None` for a cursor of the pools."""
    for row in rows:
        with suppress(PageError):
            return row, place_of(_order(row), cursor)
    return None


def _order(row: PoolRow) -> Order:
    return Order(f"leaderboard {row.pool.id}", (), (int,))


def _board(session: Session, row: PoolRow, limit: int | None, start: int = 0) -> Leaderboard:
    lag = behind(session, row.pool.id)
    found = table(session, pool_id=row.pool.id, limit=None if limit is None else limit + 1, start=start)
    if limit is None:
        return Leaderboard(row, found, lag)
    page = cut(found, _order(row), limit, lambda _: (start + limit,))
    return Leaderboard(row, list(page.items), lag, page.next)


def behind(source: Source, pool_id: str) -> int:
    """Return how many matches of a pool are still to be rated anew because results were annulled."""
    with read(source) as session:
        pending = session.get(PendingRating, pool_id)
        if pending is None:
            return 0
        last = session.exec(select(func.max(RatingOrder.rating_seq)).where(RatingOrder.pool_id == pool_id)).one()
        return max(0, (last or 0) - pending.first_seq + 1)


def unfinished_pools(source: Source) -> list[tuple[str, tuple[int, int]]]:
    """Return the pools whose ratings are being computed anew, each with a mark that changes when that gets on."""
    with read(source) as session:
        return [(one.pool_id, (one.first_seq, one.asked)) for one in session.exec(select(PendingRating))]


def pools(source: Source, only: str | None = None) -> list[PoolRow]:
    """Return all pools in which something was rated, or is being rated anew, the busiest first; or that one alone."""
    with read(source) as session:
        versions = select(Rating.pool_id, func.count().label("n"), func.sum(Rating.matches).label("seats"))
        if only is not None:
            versions = versions.where(Rating.pool_id == only)
        counted = versions.group_by(Rating.pool_id).subquery()
        query = (
            select(Pool, func.coalesce(counted.c.n, 0), func.coalesce(counted.c.seats, 0))
            .join(counted, counted.c.pool_id == Pool.id, isouter=True)
            .join(PendingRating, col(PendingRating.pool_id) == Pool.id, isouter=True)
            .where(counted.c.n.is_not(None) | col(PendingRating.pool_id).is_not(None))
        )
        if only is not None:
            query = query.where(Pool.id == only)
        found = [PoolRow(pool, int(count), int(seats) // pool.seats) for pool, count, seats in session.exec(query)]
        return sorted(found, key=lambda row: (-row.matches, row.pool.game, row.pool.id))


def table(source: Source, *, pool_id: str, limit: int | None = None, start: int = 0) -> list[LeaderboardRow]:
    """Return the leaderboard of a pool: the best exposure first, then the best mu, then by name and number.

    With `start`, from that place on, counted from 0.

    Raises NotFoundError.
    """
    with read(source) as session:
        pool = session.get(Pool, pool_id)
        if pool is None:
            raise NotFoundError(f"no pool {pool_id}; see: arena leaderboard")
        query = (
            select(Rating, Version, Bot, Owner.name)
            .join(Version, col(Version.id) == Rating.version_id)
            .join(Bot, col(Bot.id) == Version.bot_id)
            .join(Owner, col(Owner.id) == col(Bot.owner_id), isouter=True)
            .where(Rating.pool_id == pool_id)
            .order_by(col(Rating.exposure).desc(), col(Rating.mu).desc(), col(Bot.name), col(Version.number))
            .limit(limit)
            .offset(start)
        )
        lines = session.exec(query).all()
        return _rows(pool.seats, lines, 1 + _count_better(session, lines[0][0]) if lines else 1, start)


def _count_better(session: Session, rating: Rating) -> int:
    better = select(func.count()).where(Rating.pool_id == rating.pool_id, col(Rating.exposure) > rating.exposure)
    return session.exec(better).one()


def _rows(
    seats: int, lines: Iterable[tuple[Rating, Version, Bot, str | None]], first_rank: int, start: int
) -> list[LeaderboardRow]:
    """Return the lines, which are in order, with their ranks."""
    rows: list[LeaderboardRow] = []
    for place, (rating, version, bot, owner) in enumerate(lines, start=start + 1):
        shared = bool(rows) and rows[-1].exposure == rating.exposure
        rank = first_rank if not rows else rows[-1].rank if shared else place
        rows.append(_row(rank, seats, rating, version, bot, owner))
    return rows


def _row(rank: int, seats: int, rating: Rating, version: Version, bot: Bot, owner: str | None) -> LeaderboardRow:
    return LeaderboardRow(
        rank=rank,
        version_id=version.id,
        bot=bot.name,
        number=version.number,
        content_hash=version.content_hash,
        owner=owner,
        mu=rating.mu,
        sigma=rating.sigma,
        exposure=rating.exposure,
        matches=rating.matches,
        wins=rating.wins,
        score=rating.points / (2 * rating.matches * (seats - 1)),
        disabled=bot.disabled_at_us is not None,
    )


def history(
    source: Source, *, pool_id: str, version_id: str, limit: int | None = None, after: str | None = None
) -> Page[RatingChange]:
    """Return the changes of a version's rating in a pool, the last first. Raises PageError."""
    query = select(RatingChange).where(RatingChange.pool_id == pool_id, RatingChange.version_id == version_id)
    with read(source) as session:
        found = session.exec(one_page(query, _HISTORY, limit, after)).all()
    return cut(found, _HISTORY, limit, lambda change: (change.rating_seq, change.seat))
