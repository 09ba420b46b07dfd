"""The official table and the search for bots that help one another."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.values.pools import Pool
from ratings.values.statistics import Circle, FairPlayAsked, OfficialRow, SeatAdvantage, Suspicion

NOT_COMPARED = -1.0
"""What stands for the chance that one is stronger than another if nothing compares the two."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A bot whose number is fixed."""

    bot: str
    """`name` or `name@hash`."""
    elo: float


@dataclass(frozen=True, slots=True)
class OfficialTable:
    """One joint fit of all matches of a pool, best first."""

    pool: Pool
    confidence: float
    matches: int
    blocks: int
    repeats: int
    """How many matches repeated another move by move and counted once."""
    groups: int
    """How many parts of the field never met."""
    dispersion: float
    rows: tuple[OfficialRow, ...]
    seats: tuple[SeatAdvantage, ...]
    next: str | None = None
    """The cursor after which the rows go on, or `None` at their end."""
    circles: tuple[Circle, ...] = ()
    """The surest first, 20 at most."""
    circle_count: int = 0
    """How many there are."""
    threes: int = 0
    """How many threes of versions all met each other often enough to ask whether they go round in a circle."""


@dataclass(frozen=True, slots=True)
class FairPlay:
    """What was asked of the pairs of a pool, and which do better at common tables than chance and styles allow."""

    pool: Pool
    seats: int
    bots: int
    """How many versions played."""
    matches: int
    asked: tuple[FairPlayAsked, ...]
    """One for each kind of question that tables of so many seats allow."""
    more_matches: int | None
    """After about how many more matches half of the questions can be asked; `None` if no number is enough."""
    styles: int
    """How many pairs go beyond chance, but no further than is usual in this pool."""
    circles: int
    """How many are part of a circle, each of which beats the next."""
    suspicions: tuple[Suspicion, ...]
    next: str | None = None
    """The cursor after which the suspicions go on, or `None` at their end."""
