"""Computes ratings anew from the facts, to the last digit; live rating must have come to the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlmodel import Session

from ratings.errors import NotFoundError
from ratings.ledger import tallies
from ratings.ledger.live import VersionRating, change_columns, first_rating, rate_match, rating_columns
from ratings.ledger.pools import settings_of
from ratings.statistics.skill import Skill
from ratings.store import tables
from ratings.store.models import Pool
from ratings.store.states import Verdict
from ratings.store.tables import AnyRow

_CHUNK = 5_000
"""How many places in the order of rating are read at once."""

_o, _s, _v, _c, _r = tables.rating_order, tables.match_seat, tables.version, tables.rating_change, tables.rating
_p = tables.pending_rating


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The rows of `rating` and `rating_change` that follow from a pool's facts."""

    ratings: list[dict[str, Any]]
    changes: list[dict[str, Any]]


class PoolRatings:
    """The ratings of a pool while its matches go by."""

    def __init__(self, pool: Pool) -> None:
        self._settings = settings_of(pool)
        self._pool_id = pool.id
        self._by_version: dict[str, VersionRating] = {}
        self._rated: dict[str, dict[int, str]] = {}
        self._changed: set[str] = set()

    def begin_with(self, bot_id: str, number: int, version_id: str, rating: VersionRating) -> None:
        """Let a version have the rating that it has before the matches go by."""
        self._by_version[version_id] = rating
        self._rated.setdefault(bot_id, {})[number] = version_id

    def play(self, seats: Sequence[AnyRow]) -> list[dict[str, Any]]:
        """Rate one match, and return the rows of its changes."""
        before = [self._rating(seat) for seat in seats]
        after = rate_match(self._settings, before, [seat.rank for seat in seats])
        for seat, rating in zip(seats, after, strict=True):
            self.begin_with(seat.bot_id, seat.number, seat.version_id, rating)
            self._changed.add(seat.version_id)
        return [
            {
                "match_id": seat.match_id,
                "seat": seat.seat,
                "pool_id": self._pool_id,
                "version_id": seat.version_id,
                "rating_seq": seat.rating_seq,
                **change_columns(old, new),
            }
            for seat, old, new in zip(seats, before, after, strict=True)
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the ratings as they are now."""
        return self._rows(self._by_version)

    def changed_rows(self) -> list[dict[str, Any]]:
        """Return the rows of those ratings that matches have changed since `forget_changed`."""
        return self._rows(self._changed)

    def forget_changed(self) -> None:
        """Begin to note anew which ratings change."""
        self._changed = set()

    def _rows(self, version_ids: Iterable[str]) -> list[dict[str, Any]]:
        return [
            {"pool_id": self._pool_id, "version_id": version_id, **rating_columns(self._by_version[version_id])}
            for version_id in sorted(version_ids)
        ]

    def _rating(self, seat: AnyRow) -> VersionRating:
        return self._by_version.get(seat.version_id) or first_rating(self._settings, self._predecessor(seat))

    def _predecessor(self, seat: AnyRow) -> Skill | None:
        earlier = [number for number in self._rated.get(seat.bot_id, ()) if number < seat.number]
        return self._by_version[self._rated[seat.bot_id][max(earlier)]].skill if earlier else None


def compute(session: Session, pool_id: str) -> Rebuilt:
    """Return what the ratings of a pool must be, and write nothing. Raises NotFoundError, SkillError."""
    played = PoolRatings(get_pool(session, pool_id))
    changes = [change for chunk in rated_matches(session, pool_id) for seats in chunk for change in played.play(seats)]
    return Rebuilt(played.rows(), changes)


def get_pool(session: Session, pool_id: str, *, locks: bool = False) -> Pool:
    """Return the pool, in which, where several can write at once, nobody else rates if it `locks` it."""
    pool = session.get(Pool, pool_id, with_for_update=locks or None)
    if pool is None:
        raise NotFoundError(f"no pool {pool_id}")
    return pool


def rated_matches(
    session: Session, pool_id: str, first: int = 1, end: int | None = None
) -> Iterator[list[list[AnyRow]]]:
    """Yield the seats of every match that is rated, in chunks, from place `first` in the order of rating to `end`.

    That of `end` is left out; without it, it is all to the last.
    """
    connection = session.connection()
    if end is None:
        last = connection.execute(select(func.max(_o.c.rating_seq)).where(_o.c.pool_id == pool_id)).scalar_one()
        end = (last or 0) + 1
    query = (
        select(_o.c.rating_seq, _o.c.match_id, _s.c.seat, _s.c.version_id, _s.c.rank, _v.c.bot_id, _v.c.number)
        .join(_s, _s.c.match_id == _o.c.match_id)
        .join(_v, _v.c.id == _s.c.version_id)
        .where(_o.c.pool_id == pool_id, _o.c.verdict == Verdict.RATED)
        .order_by(_o.c.rating_seq, _s.c.seat)
    )
    for start in range(first, end, _CHUNK):
        upto = min(start + _CHUNK, end)
        rows = connection.execute(query.where(_o.c.rating_seq >= start, _o.c.rating_seq < upto)).all()
        yield [list(seats) for _, seats in groupby(rows, key=lambda row: row.rating_seq)]


def rebuild(session: Session, pool_id: str) -> int:
    """Replace a pool's ratings and its tournaments' tallies by those that follow from the facts, all in one go.

    Return how many matches were rated. It takes time in proportion to them, about 25 s for 100,000 of two seats, and in
    all of it nobody else can write; of memory it takes the same however many they are.
    """
    connection = session.connection()
    tallies.rebuild(connection, tallies.of_pool(pool_id))
    played = PoolRatings(get_pool(session, pool_id, locks=True))
    connection.execute(delete(_c).where(_c.c.pool_id == pool_id))
    rated = 0
    for chunk in rated_matches(session, pool_id):
        if changes := [change for seats in chunk for change in played.play(seats)]:
            connection.execute(insert(_c), changes)
        rated += len(chunk)
    connection.execute(delete(_r).where(_r.c.pool_id == pool_id))
    if ratings := played.rows():
        connection.execute(insert(_r), ratings)
    connection.execute(delete(_p).where(_p.c.pool_id == pool_id))
    session.expire_all()
    return rated
