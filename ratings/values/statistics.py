"""Statistics of the matches of a tournament or a pool: what can be counted, the official table, and fair play.

Only whole blocks count. The official table and fair play come from one joint fit of all matches of a pool; they know
versions by their ids, and the app fills in what people call them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ratings.values.pools import Pool

MOST_IN_CROSSTABLE = 100
"""So many versions a crosstable has at most: it has a line for each pair of them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A version that is counted, and what people call it."""

    version_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """How one version fared against another, over all matches in which both sat."""

    bot: str
    opponent: str
    version_id: str
    opponent_id: str
    matches: int
    points: int
    """As in `ratings.statistics.scores`: 2 for every match in which it was ahead, 1 for every tie."""
    score: float
    """The part of the points that it got, 0 to 1."""
    wins: int
    """In how many of the matches it was ahead."""
    ties: int
    """In how many both had the same rank."""
    losses: int


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Who met whom among some versions, the best first."""

    versions: tuple[Counted, ...]
    meetings: tuple[Meeting, ...]
    """Every ordered pair that met."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one match did to the rating of one version."""

    match_id: str
    seat: int
    pool_id: str
    version_id: str
    rating_seq: int
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    exposure: float
    """After the match."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a version, or everybody, fared in one seat."""

    seat: int
    matches: int
    wins: int
    """In how many matches it was first alone."""
    score: float
    """The part of the opponents met that were beaten, 0 to 1; a tie counts half."""
    forfeits: int
    shared: int
    """In how many it was first together with some of the others."""
    draws: int
    """In how many all were level."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of one measure over all matches."""

    measure: str
    """`plies`, `decisions` or `duration_us` (microseconds of wall time)."""
    matches: int
    least: int
    median: int
    mean: float
    most: int
    p95: int
    """The value that 95 % of the matches do not exceed; it occurred, as the median did."""


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """The place of a version in the official table, with its interval and the ranks that are possible."""

    version: str
    """Its id."""
    bot: str
    """What people call it."""
    strength: float
    """In natural-log units, as `low` and `high` are.

    In a match of two, without ties and seat effects, the odds of winning are exp(difference). Without anchors zero is
    the mean of the most versions each of which was ahead of each other, directly or by way of others; one whose wins or
    losses are few counts less in it.
    """
    low: float | None
    """The lower end of the interval, or `None` if nothing tells how far below it may be; `high` likewise."""
    high: float | None
    elo: float
    """1500 + 400/ln(10) times the strength; `elo_low` and `elo_high` bound the interval as `low` and `high` do."""
    elo_low: float | None
    elo_high: float | None
    rank: int
    best_rank: int
    """The best rank that is possible at the table's confidence (Bonferroni over the opponents); then the worst."""
    worst_rank: int
    matches: int
    is_anchor: bool
    group: int
    """Counts from 0, the largest first: only rows of one group were ever compared, by however many steps."""
    above_next: float | None
    """The chance that it is stronger than the next, or `None` without a next one, or if nothing compares them."""
    stronger: tuple[float, ...]
    """The chance that it is stronger than each version of this page, in its order; NOT_COMPARED where unknown."""
    mixture_share: float | None = None
    """Its part of the mixture of versions that none beats, or `None` if nobody asked."""
    mixture_elo: float | None = None
    """Its Elo against that mixture, 0 for its parts and less for others, or `None` if nobody asked."""

    @property
    def elo_interval(self) -> str:
        """The interval in Elo, such as "1400..1600"; without the end that is open, as "..1100"."""
        low, high = ("" if end is None else f"{end:.0f}" for end in (self.elo_low, self.elo_high))
        return f"{low}..{high}"


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


class Method(StrEnum):
    """The other ways to judge bots over several games, beside the table itself."""

    MEAN_RANK = "mean-rank"
    VASE = "vase"
    SOFT_CONDORCET = "soft-condorcet"
    NASH = "nash"
    ALPHA_RANK = "alpha-rank"
    TRUESKILL = "trueskill"
    OPENSKILL = "openskill"


@dataclass(frozen=True, slots=True)
class OverallPool:
    """A pool of the table over several games."""

    pool: Pool
    bots: int
    """How many bots of the table played in it."""
    matches: int
    spread: float
    """The standard deviation of the strengths in it, in natural-log units; `low` and `high` bound it."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OverallRow:
    """What is known of a bot over several games."""

    bot: str
    copies: tuple[str, ...]
    """Other bots that are the same program: they have this line together."""
    strength: float
    """In standard deviations of the strengths in a game, about the mean of the bots that are not listed apart."""
    low: float
    high: float
    rank: int
    """Among the bots that are not listed apart, as the ranks that are possible are; 0 for a bot that is."""
    best_rank: int
    worst_rank: int
    above_next: float | None
    """The chance that it is stronger than the next, or `None` without one, or if nothing compares them."""
    matches: int
    games: int
    """How many of the pools it played in."""
    missing: tuple[str, ...]
    """The ids of those in which it did not."""
    met: float
    """The part of the other bots with which it sat at a table in some pool."""
    known: float
    """The part of the variance of its strength that the results explain, 0 to 1."""
    group: int
    """Counts from 0, the largest first: only bots of one group were ever compared, by however many steps."""
    figures: tuple[float, ...]
    """What each of the methods of the table says, the more the better; empty for a bot that is listed apart."""
    places: tuple[int, ...]
    """Its rank by each of them; equal figures share one."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A pair of bots that does better at common tables than chance allows: a reason to look, no proof."""

    sentence: str
    kind: str
    """`helps`: `second` does better when `first` is at the table; `together`: both do when both are."""
    first: str
    """What people call it; to statistics its id, as `second`."""
    second: str
    elo: float
    """How much stronger the helped play then."""
    z: float
    """How far that lies above what is usual in the field, in its standard deviations."""
    chance: float
    """The probability that an honest field of this size shows anywhere what this pair shows."""
    matches: int
    """In how many they sat together."""


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
    """The gain that is found in four of five cases, whichever pair gains it, or `None` if there is none.

    There is none if nothing was asked, or a bot could win every match unseen; for "together" both gain as much.
    """
