"""The tables of ratings: the order in which matches were rated, and what follows from it.

They follow the rules of `ratings.store.models`; all but `rating_order` is derived from the facts. Most commands that
look at what was played need none of them.
"""

from __future__ import annotations

from sqlalchemy import Double, Index, text
from sqlmodel import Field

from ratings.store.models import Table, text_of
from ratings.values.states import RatingVerdict


class RatingOrderRecord(Table, table=True):
    """The order in which a pool's matches came up for rating: a fact, which a rebuild follows."""

    __table_args__ = (Index(None, "pool_id", "match_id", sqlite_where=text("verdict <> 'rated'")),)

    pool_id: str = Field(primary_key=True, foreign_key="pool.id")
    rating_seq: int = Field(primary_key=True)
    match_id: str = Field(foreign_key="match.id", unique=True)
    verdict: RatingVerdict = Field(sa_type=text_of(RatingVerdict))


class RatingChangeRecord(Table, table=True):
    """What one match did to the rating of one version; derived from the facts."""

    __table_args__ = (Index(None, "pool_id", "version_id", "rating_seq"),)

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    seat: int = Field(primary_key=True)
    pool_id: str = Field(foreign_key="pool.id")
    version_id: str = Field(foreign_key="version.id")
    rating_seq: int
    mu_before: float = Field(sa_type=Double)
    sigma_before: float = Field(sa_type=Double)
    mu_after: float = Field(sa_type=Double)
    sigma_after: float = Field(sa_type=Double)


class RatingRecord(Table, table=True):
    """The present rating of a version in a pool; `wins` to `points` as in `ratings.statistics.scores` and `points`."""

    __table_args__ = (Index(None, "pool_id", "exposure"),)

    pool_id: str = Field(primary_key=True, foreign_key="pool.id")
    version_id: str = Field(primary_key=True, foreign_key="version.id")
    mu: float = Field(sa_type=Double)
    sigma: float = Field(sa_type=Double)
    exposure: float = Field(sa_type=Double)
    matches: int
    wins: int
    shared: int = Field(sa_column_kwargs={"server_default": text("0")})
    draws: int = Field(sa_column_kwargs={"server_default": text("0")})
    points: int


class PendingRatingRecord(Table, table=True):
    """A pool whose ratings are being computed anew, piece by piece; there is no row when they are as they should be.

    Meanwhile what is played gets its place in the order of rating, and is rated when its turn comes.
    """

    pool_id: str = Field(primary_key=True, foreign_key="pool.id")
    first_seq: int
    """The first place in the order of rating from which on everything is to be rated anew."""
    rated_seq: int | None = None
    """The table `rating` says how it stood before this place; `None`: after everything that was ever rated."""
    asked: int = 1
    """How often it was asked for: a piece that was computed before it was asked again is not written."""
