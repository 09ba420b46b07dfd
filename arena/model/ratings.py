"""The official table and the search for bots that help one another."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.pools import Pool

NOT_COMPARED = -1.0
"""What stands for the chance that one is stronger than another if nothing compares the two."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A bot whose number is fixed."""

    bot: str
    """`name` or `name@hash`."""
    elo: float


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """The place of a version in the official table, with its interval and the ranks that are possible."""

    version: str
    """Its id."""
    bot: str
    """What people call it."""
    strength: float
    """In natural-log units, as `low` and `high` are."""
    low: float
    high: float
    elo: float
    elo_low: float
    elo_high: float
    rank: int
    best_rank: int
    worst_rank: int
    matches: int
    is_anchor: bool
    group: int
    above_next: float | None
    """The chance that it is stronger than the next, or `None` without a next one, or if nothing compares them."""
    stronger: tuple[float, ...]
    """The chance that it is stronger than each version of this page, in its order; NOT_COMPARED where unknown."""
    mixture_share: float | None = None
    """Its part of the mixture of versions that none beats, or `None` if nobody asked."""
    mixture_elo: float | None = None
    """Its Elo against that mixture, 0 for its parts and less for others, or `None` if nobody asked."""


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """A seat's advantage over the mean of the seats, in natural-log units, with its interval."""

    seat: int
    advantage: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Circle:
    """Three versions, each of which beats the next, and the last the first: no number for each can tell that."""

    versions: tuple[str, ...]
    """Their ids."""
    bots: tuple[str, ...]
    """What people call them."""
    shares: tuple[float, ...]
    """The score of each against the next, a tie as half; 1 = always ahead."""
    blocks: tuple[int, ...]
    """In how many blocks each met the next."""
    elo: float
    """By how much each is stronger than the next, on average."""
    chance: float
    """The chance, at most, that a field without circles shows any that is as clear."""


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
class Suspicion:
    """A pair of bots that does better at common tables than chance allows: a reason to look, no proof."""

    sentence: str
    kind: str
    """`helps` or `together`."""
    first: str
    second: str
    elo: float
    z: float
    chance: float
    matches: int


@dataclass(frozen=True, slots=True)
class FairPlayAsked:
    """How many questions of a kind fair play could ask of a pool, and how small a deal it could have seen."""

    kind: str
    """`helps` or `together`."""
    asked: int
    possible: int
    spread: float
    """How much further than by chance the bots of this pool differ from the model, at least 1."""
    least_elo: float | None
    """The gain that is found in four of five cases in a typical pair, or `None` if there is none."""


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
