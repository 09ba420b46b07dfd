"""Leaderboards in any order and narrowed to names, and the places of one bot in all pools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlmodel import Session

from ratings.read.leaderboard import Leaderboard, LeaderboardRow, PoolRow, behind
from ratings.read.paging import Order, cut, place_of
from ratings.store import tables
from ratings.store.models import Pool
from ratings.store.sessions import Source, read
from ratings.store.tables import AnyRow

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
_BETTER = (
    select(func.count())
    .select_from(_r)
    .where(
        _r.c.pool_id == bindparam("pool"),
        _r.c.exposure > bindparam("above"),
        _r.c.exposure <= bindparam("up_to"),
    )
)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which lines of a leaderboard are shown: those whose bot and owner hold these texts, in any case of letters."""

    name: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """The place of a version in a pool."""

    pool: Pool
    number: int
    rank: int
    of: int
    rating: AnyRow


def sorted_board(
    source: Source, row: PoolRow, by: str, *, is_descending: bool, only: Narrowing, limit: int, after: str | None
) -> Leaderboard:
    """Return a page of a leaderboard sorted by one of COLUMNS, ties by name. Raises PageError, KeyError."""
    order = Order(f"leaderboard {row.pool.id} {by} {is_descending} {only.name} {only.owner}"[:500], (), (int,))
    start = 0 if after is None else place_of(order, after)
    column = COLUMNS[by].desc() if is_descending else COLUMNS[by].asc()
    with read(source) as session:
        if by == "bot" or only != Narrowing():
            query = _narrowed(row.pool.id, only).order_by(column, _b.c.name, _v.c.number)
        else:
            query = _alone(row.pool.id).order_by(column, _r.c.exposure.desc(), _r.c.mu.desc(), _r.c.version_id)
        lines = _whole_lines(session, row.pool.id, query.limit(limit + 1).offset(start))
        page = cut(lines, order, limit, lambda _: (start + limit,))
        table = _ranked(source=session, row=row, lines=page.items)
        return Leaderboard(row, table, behind(session, row.pool.id), page.next)


def _whole_lines(session: Session, pool_id: str, query: Select[Any]) -> list[AnyRow]:
    """Return the lines of the versions that a query finds, in its order.

    So what is sorted are ids, and everything else is looked up for one page alone.
    """
    ids = session.connection().execute(query).scalars().all()
    lines = session.connection().execute(_lines(pool_id).where(_r.c.version_id.in_(ids))).all()
    places = {version_id: place for place, version_id in enumerate(ids)}
    return sorted(lines, key=lambda line: places[line.version_id])


def picked_lines(source: Source, row: PoolRow, version_ids: Sequence[str]) -> list[LeaderboardRow]:
    """Return the lines of these versions, in their order; of those that are not rated there is none."""
    with read(source) as session:
        found = session.connection().execute(_lines(row.pool.id).where(_r.c.version_id.in_(version_ids))).all()
        lines = {line.version_id: line for line in _ranked(source=session, row=row, lines=found)}
    return [lines[version] for version in version_ids if version in lines]


def standings_of_bot(source: Source, bot_id: str) -> list[StandingRow]:
    """Return the places of a bot's versions: the pool where they played most first, in it the newest version first."""
    query = select(_r, _v.c.number, _v.c.content_hash).join(_v, _v.c.id == _r.c.version_id)
    with read(source) as session:
        rows = session.connection().execute(query.where(_v.c.bot_id == bot_id)).all()
        found = []
        for row in rows:
            pool = session.get_one(Pool, row.pool_id)
            rank = _ranks(session, row.pool_id, [row.exposure])[row.exposure]
            of = select(func.count()).where(_r.c.pool_id == row.pool_id)
            found.append(StandingRow(pool, row.number, rank, session.connection().execute(of).scalar_one(), row))
    played: dict[str, int] = {}
    for row in rows:
        played[row.pool_id] = played.get(row.pool_id, 0) + row.matches
    return sorted(found, key=lambda one: (-played[one.pool.id], one.pool.id, -one.number))


def _lines(pool_id: str) -> Select[Any]:
    return (
        select(
            _r, _v.c.number, _v.c.content_hash, _b.c.name.label("bot"), _b.c.disabled_at_us, _o.c.name.label("owner")
        )
        .join(_v, _v.c.id == _r.c.version_id)
        .join(_b, _b.c.id == _v.c.bot_id)
        .outerjoin(_o, _o.c.id == _b.c.owner_id)
        .where(_r.c.pool_id == pool_id)
    )


def _alone(pool_id: str) -> Select[Any]:
    return select(_r.c.version_id).where(_r.c.pool_id == pool_id)


def _narrowed(pool_id: str, only: Narrowing) -> Select[Any]:
    query = _alone(pool_id).join(_v, _v.c.id == _r.c.version_id).join(_b, _b.c.id == _v.c.bot_id)
    if only.name:
        query = query.where(_b.c.name.icontains(only.name, autoescape=True))
    if only.owner:
        query = query.join(_o, _o.c.id == _b.c.owner_id)
        query = query.where(_o.c.name.icontains(only.owner, autoescape=True))
    return query


def _ranked(*, source: Source, row: PoolRow, lines: Sequence[AnyRow]) -> list[LeaderboardRow]:
    ranks = _ranks(source, row.pool.id, {line.exposure for line in lines})
    return [
        LeaderboardRow(
            rank=ranks[line.exposure],
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
            score=line.points / (2 * line.matches * (row.pool.seats - 1)),
            disabled=line.disabled_at_us is not None,
        )
        for line in lines
    ]


def _ranks(source: Source, pool_id: str, exposures: Collection[float]) -> dict[float, int]:
    """Return the rank that each of these ratings has in the whole table: 1 more than there are better ones.

    Between two neighbours among them the index is counted once, so a page costs one walk through it at most.
    """
    ranks, best, better = {}, inf, 0
    with read(source) as session:
        for exposure in sorted(exposures, reverse=True):
            between = {"pool": pool_id, "above": exposure, "up_to": best}
            better += int(session.connection().execute(_BETTER, between).scalar_one())
            ranks[exposure], best = better + 1, exposure
    return ranks
