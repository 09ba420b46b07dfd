"""Computes ratings anew from the facts, to the last digit; live rating must have come to the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import delete, insert, select
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


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The rows of `rating` and `rating_change` that follow from a pool's facts."""

    ratings: list[dict[str, Any]]
    changes: list[dict[str, Any]]


class _PoolRatings:
    """The ratings of a pool while its matches go by."""

    def __init__(self, pool: Pool) -> None:
        self._settings = settings_of(pool)
        self._pool_id = pool.id
        self.by_version: dict[str, VersionRating] = {}
        self._rated: dict[str, dict[int, str]] = {}

    def play(self, seats: Sequence[AnyRow]) -> list[dict[str, Any]]:
        """Rate one match, and return the rows of its changes."""
        before = [self._rating(seat) for seat in seats]
        after = rate_match(self._settings, before, [seat.rank for seat in seats])
        for seat, rating in zip(seats, after, strict=True):
            self.by_version[seat.version_id] = rating
            self._rated.setdefault(seat.bot_id, {})[seat.number] = seat.version_id
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

    def _rating(self, seat: AnyRow) -> VersionRating:
        return self.by_version.get(seat.version_id) or first_rating(self._settings, self._predecessor(seat))

    def _predecessor(self, seat: AnyRow) -> Skill | None:
        earlier = [number for number in self._rated.get(seat.bot_id, ()) if number < seat.number]
        return self.by_version[self._rated[seat.bot_id][max(earlier)]].skill if earlier else None


def compute(session: Session, pool_id: str) -> Rebuilt:
    """Return what the ratings of a pool must be, and write nothing. Raises NotFoundError, SkillError."""
    pool = session.get(Pool, pool_id)
    if pool is None:
        raise NotFoundError(f"no pool {pool_id}")
    played = _PoolRatings(pool)
    changes = [change for seats in _rated_matches(session, pool_id) for change in played.play(seats)]
    ratings = [
        {"pool_id": pool_id, "version_id": version_id, **rating_columns(rating)}
        for version_id, rating in sorted(played.by_version.items())
    ]
    return Rebuilt(ratings, changes)


def _rated_matches(session: Session, pool_id: str) -> Iterator[list[AnyRow]]:
    order, seat, version = tables.rating_order, tables.match_seat, tables.version
    query = (
        select(
            order.c.rating_seq,
            order.c.match_id,
            seat.c.seat,
            seat.c.version_id,
            seat.c.rank,
            version.c.bot_id,
            version.c.number,
        )
        .join(seat, seat.c.match_id == order.c.match_id)
        .join(version, version.c.id == seat.c.version_id)
        .where(order.c.pool_id == pool_id, order.c.verdict == Verdict.RATED)
        .order_by(order.c.rating_seq, seat.c.seat)
    )
    for _, seats in groupby(session.connection().execute(query), key=lambda row: row.rating_seq):
        yield list(seats)


def rebuild(session: Session, pool_id: str) -> int:
    """Replace a pool's ratings and its tournaments' tallies by those that follow from the facts.

    Return how many matches were rated.
    """
    rebuilt = compute(session, pool_id)
    connection = session.connection()
    tallies.rebuild(connection, pool_id)
    connection.execute(delete(tables.rating_change).where(tables.rating_change.c.pool_id == pool_id))
    connection.execute(delete(tables.rating).where(tables.rating.c.pool_id == pool_id))
    if rebuilt.changes:
        connection.execute(insert(tables.rating_change), rebuilt.changes)
        connection.execute(insert(tables.rating), rebuilt.ratings)
    session.expire_all()
    return len({change["match_id"] for change in rebuilt.changes})
