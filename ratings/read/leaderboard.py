"""The tables of ratings that people look at: pools, leaderboards, the history of a rating."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func
from sqlmodel import col, select

from ratings.errors import NotFoundError
from ratings.store.models import Bot, Owner, Pool, Rating, RatingChange, RatingOrder, Version
from ratings.store.sessions import Source, read
from ratings.store.tallies import PendingRating


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


def leaderboards(
    source: Source, pool_ids: Collection[str] | None = None, *, limit: int | None = None
) -> list[Leaderboard]:
    """Return the leaderboards of all pools in which something was rated, or of those named, the busiest first."""
    with read(source) as session:
        rows = [row for row in pools(session) if pool_ids is None or row.pool.id in pool_ids]
        return [
            Leaderboard(row, table(session, pool_id=row.pool.id, limit=limit), behind(session, row.pool.id))
            for row in rows
        ]


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


def pools(source: Source) -> list[PoolRow]:
    """Return all pools in which something was rated, or is being rated anew, the busiest first."""
    with read(source) as session:
        versions = select(Rating.pool_id, func.count().label("n"), func.sum(Rating.matches).label("seats"))
        counted = versions.group_by(Rating.pool_id).subquery()
        query = (
            select(Pool, func.coalesce(counted.c.n, 0), func.coalesce(counted.c.seats, 0))
            .join(counted, counted.c.pool_id == Pool.id, isouter=True)
            .join(PendingRating, col(PendingRating.pool_id) == Pool.id, isouter=True)
            .where(counted.c.n.is_not(None) | col(PendingRating.pool_id).is_not(None))
        )
        found = [PoolRow(pool, int(count), int(seats) // pool.seats) for pool, count, seats in session.exec(query)]
        return sorted(found, key=lambda row: (-row.matches, row.pool.game, row.pool.id))


def table(source: Source, *, pool_id: str, limit: int | None = None) -> list[LeaderboardRow]:
    """Return the leaderboard of a pool: the best exposure first, then the best mu, then by name and number.

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
        )
        return _rows(pool.seats, session.exec(query))


def _rows(seats: int, lines: Iterable[tuple[Rating, Version, Bot, str | None]]) -> list[LeaderboardRow]:
    """Return the lines, which are in order, with their ranks."""
    rows: list[LeaderboardRow] = []
    for place, (rating, version, bot, owner) in enumerate(lines, start=1):
        shared = bool(rows) and rows[-1].exposure == rating.exposure
        rows.append(_row(rows[-1].rank if shared else place, seats, rating, version, bot, owner))
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


def history(source: Source, *, pool_id: str, version_id: str) -> Sequence[RatingChange]:
    """Return every change of a version's rating in a pool, in the order of rating."""
    with read(source) as session:
        query = (
            select(RatingChange)
            .where(RatingChange.pool_id == pool_id, RatingChange.version_id == version_id)
            .order_by(col(RatingChange.rating_seq))
        )
        return session.exec(query).all()
