"""Computes ratings anew from the facts, to the last digit; live rating must have come to the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlmodel import Session

from ratings.errors import NotFoundError
from ratings.ledger import tallies
from ratings.ledger.live import VersionRating, change_columns, first_rating, rate_match, rating_columns
from ratings.ledger.pools import settings_of
from ratings.statistics.points import match_points
from ratings.statistics.skill import Skill
from ratings.store import tables
from ratings.store.models import Pool
from ratings.store.states import Verdict
from ratings.store.tables import AnyRow

_CHUNK = 5_000
"""How many places in the order of rating are read at once."""

_o, _s, _v, _c, _r = tables.rating_order, tables.match_seat, tables.version, tables.rating_change, tables.rating


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
        self._by_version: dict[str, VersionRating] = {}
        self._rated: dict[str, dict[int, str]] = {}

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
        return [
            {"pool_id": self._pool_id, "version_id": version_id, **rating_columns(rating)}
            for version_id, rating in sorted(self._by_version.items())
        ]

    def _rating(self, seat: AnyRow) -> VersionRating:
        return self._by_version.get(seat.version_id) or first_rating(self._settings, self._predecessor(seat))

    def _predecessor(self, seat: AnyRow) -> Skill | None:
        earlier = [number for number in self._rated.get(seat.bot_id, ()) if number < seat.number]
        return self._by_version[self._rated[seat.bot_id][max(earlier)]].skill if earlier else None


def compute(session: Session, pool_id: str) -> Rebuilt:
    """Return what the ratings of a pool must be, and write nothing. Raises NotFoundError, SkillError."""
    played = _PoolRatings(_get_pool(session, pool_id))
    changes = [
        change for chunk in _rated_matches(session, pool_id, 1) for seats in chunk for change in played.play(seats)
    ]
    return Rebuilt(played.rows(), changes)


def _get_pool(session: Session, pool_id: str, *, locks: bool = False) -> Pool:
    """Return the pool, in which, where several can write at once, nobody else rates if it `locks` it."""
    pool = session.get(Pool, pool_id, with_for_update=locks or None)
    if pool is None:
        raise NotFoundError(f"no pool {pool_id}")
    return pool


def _rated_matches(session: Session, pool_id: str, first: int) -> Iterator[list[list[AnyRow]]]:
    """Yield the seats of every match that is rated, from place `first` in the order of rating on, in chunks."""
    connection = session.connection()
    last = connection.execute(select(func.max(_o.c.rating_seq)).where(_o.c.pool_id == pool_id)).scalar_one() or 0
    query = (
        select(_o.c.rating_seq, _o.c.match_id, _s.c.seat, _s.c.version_id, _s.c.rank, _v.c.bot_id, _v.c.number)
        .join(_s, _s.c.match_id == _o.c.match_id)
        .join(_v, _v.c.id == _s.c.version_id)
        .where(_o.c.pool_id == pool_id, _o.c.verdict == Verdict.RATED)
        .order_by(_o.c.rating_seq, _s.c.seat)
    )
    for start in range(first, last + 1, _CHUNK):
        rows = connection.execute(query.where(_o.c.rating_seq >= start, _o.c.rating_seq < start + _CHUNK)).all()
        yield [list(seats) for _, seats in groupby(rows, key=lambda row: row.rating_seq)]


def rebuild(session: Session, pool_id: str) -> int:
    """Replace a pool's ratings and its tournaments' tallies by those that follow from the facts.

    Return how many matches were rated.
    """
    tallies.rebuild(session.connection(), tallies.of_pool(pool_id))
    return rate_from(session, pool_id, 1)


def rate_from(session: Session, pool_id: str, first: int) -> int:
    """Rate a pool's matches anew from place `first` in the order of rating on, and return how many they were.

    What comes before must be in order. It takes time in proportion to the matches from there on, about 25 s for 100,000
    of two seats, and in all of it nobody else can write; of memory it takes the same however many they are.
    """
    played = _PoolRatings(_get_pool(session, pool_id, locks=True))
    for row in _ratings_before(session, pool_id, first) if first > 1 else ():
        played.begin_with(*row)
    connection = session.connection()
    connection.execute(delete(_c).where(_c.c.pool_id == pool_id, _c.c.rating_seq >= first))
    rated = 0
    for chunk in _rated_matches(session, pool_id, first):
        if changes := [change for seats in chunk for change in played.play(seats)]:
            connection.execute(insert(_c), changes)
        rated += len(chunk)
    connection.execute(delete(_r).where(_r.c.pool_id == pool_id))
    if ratings := played.rows():
        connection.execute(insert(_r), ratings)
    session.expire_all()
    return rated


def _ratings_before(session: Session, pool_id: str, first: int) -> Iterable[tuple[str, int, str, VersionRating]]:
    """Return bot, number, id and rating of every version that was rated before place `first` in the order of rating.

    What the matches from there on changed is taken back from the present ratings, so that the earlier ones need not be
    looked at.
    """
    taken_back = _changes_from(session, pool_id, first)
    query = select(_r, _v.c.bot_id, _v.c.number).join(_v, _v.c.id == _r.c.version_id).where(_r.c.pool_id == pool_id)
    for row in session.connection().execute(query).mappings():
        since = taken_back.get(row["version_id"], _Since())
        if row["matches"] > since.matches:
            skill = since.before or Skill(row["mu"], row["sigma"])
            figures = (row["matches"] - since.matches, row["wins"] - since.wins, row["points"] - since.points)
            yield row["bot_id"], row["number"], row["version_id"], VersionRating(skill, *figures)


@dataclass(slots=True)
class _Since:
    """What a version's rating has from the matches since some place, and its skill before them."""

    before: Skill | None = None
    matches: int = 0
    wins: int = 0
    points: int = 0


def _changes_from(session: Session, pool_id: str, first: int) -> Mapping[str, _Since]:
    """Return by version what the changes from place `first` on have added."""
    found: dict[str, _Since] = {}
    query = (
        select(_c.c.match_id, _c.c.version_id, _c.c.mu_before, _c.c.sigma_before, _s.c.rank)
        .join(_s, (_s.c.match_id == _c.c.match_id) & (_s.c.seat == _c.c.seat))
        .where(_c.c.pool_id == pool_id, _c.c.rating_seq >= first)
        .order_by(_c.c.rating_seq, _c.c.seat)
    )
    rows = session.connection().execute(query, execution_options={"yield_per": _CHUNK})
    for _, match in groupby(rows, key=lambda row: row.match_id):
        seats = list(match)
        for seat, points in zip(seats, match_points([seat.rank for seat in seats]), strict=True):
            since = found.setdefault(seat.version_id, _Since(Skill(seat.mu_before, seat.sigma_before)))
            since.matches += 1
            since.wins += seat.rank == 1
            since.points += points
    return found
