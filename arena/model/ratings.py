"""Ratings: the official table, rating curves, and what pages show of many versions at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ratings.values.leaderboards import CurvePoint, FaultCount, RecentVersion, Standing
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.pools import Pool
from ratings.values.statistics import (
    Circle,
    FairPlayAsked,
    OfficialRow,
    OverallPool,
    OverallRow,
    SeatAdvantage,
    SeatResult,
    Suspicion,
)

if TYPE_CHECKING:
    from arena.model.bots import BotSummary
    from arena.model.tournaments import TournamentSummary
    from ratings.values.leaderboards import Leaderboard

NOT_COMPARED = -1.0
"""What stands for the chance that one is stronger than another if nothing compares the two."""
MOST_IN_OFFICIAL = 500
"""So many versions of a pool are fitted together, the best by the live rating: time grows with the cube of them."""


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
    """How many matches repeated another by plan and did not count again."""
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
    unsteady: tuple[str, ...] = ()
    """The bots that declare themselves deterministic, and whose repeats ended differently: all that they played counts.
    """


@dataclass(frozen=True, slots=True)
class OverallTable:
    """One table over several pools, best first."""

    confidence: float
    pools: tuple[OverallPool, ...]
    """What was asked for; pools of one game share its weight, games have the same."""
    methods: tuple[str, ...]
    """The other ways to judge that were asked for."""
    rows: tuple[OverallRow, ...]
    apart: tuple[OverallRow, ...]
    """Bots that played too little, the best known first."""
    met: float
    """The part of the pairs of all these bots that sat at a table in some pool."""
    groups: int
    """How many parts of the field never met."""
    share: float
    """The part of the differences between bots that belongs to single games, 0 to 1."""
    left_out: int
    """How many bots have no line because there are too many; what they did counts for the others."""

    def places_by_method(self) -> Mapping[str, tuple[int, int]]:
        """Return the best and the worst place of each bot by this table and all the methods."""
        return {row.bot: (min(row.rank, *row.places), max(row.rank, *row.places)) for row in self.rows if row.places}


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
    """How many pairs go beyond chance, but no further than the styles of bots may explain."""
    circles: int
    """How many are part of a circle, each of which beats the next."""
    suspicions: tuple[Suspicion, ...]
    next: str | None = None
    """The cursor after which the suspicions go on, or `None` at their end."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a version did lately in a pool, by the matches that are rated."""

    version_id: str
    ratings: tuple[float, ...]
    """Its last ratings (mu - 3 sigma), the oldest first."""
    change: float
    """What its last match changed of its rating."""
    faults: int
    """In how many of its rated matches it did something wrong."""


@dataclass(frozen=True, slots=True)
class WalkPoint:
    """Where the log ratio of a comparison stood after so many steps."""

    pairs: int
    log_ratio: float


@dataclass(frozen=True, slots=True)
class Opponent:
    """How a version fared against another."""

    bot: str
    number: int
    """That of the opponent's version."""
    matches: int
    score: float
    """The part of the points that it got, 0 to 1; a tie counts half."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a version has behind it in a pool, by the matches that are rated."""

    curve: tuple[CurvePoint, ...]
    opponents: tuple[Opponent, ...]
    """Those that it met most."""
    seats: tuple[SeatResult, ...]
    faults: tuple[FaultCount, ...]


class Overview(Protocol):
    """What is read of many versions at once. Only rated matches count, so nothing tells the future."""

    def sort_leaderboard(
        self,
        pool: str,
        by: str,
        *,
        is_descending: bool = True,
        name: str = "",
        owner: str = "",
        limit: int = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> Leaderboard:
        """Return the table of a pool sorted by one of its columns: the lines whose bot and owner hold those texts.

        Ranks are those of the whole table. Raises RefusedError for a column that it cannot be sorted by.
        """

    def pick_leaderboard(self, pool: str, version_ids: Collection[str]) -> Leaderboard:
        """Return the lines of these versions, in their order."""

    def list_forms(self, pool: str, version_ids: Collection[str]) -> Mapping[str, Form]:
        """Return how these versions did lately, by version id."""

    def list_standings(self, bot: str) -> tuple[Standing, ...]:
        """Return the places of a bot's versions in all pools: the busiest pool first, of it the newest version."""

    def count_faults(self, pool: str, version_id: str) -> tuple[FaultCount, ...]:
        """Return what a version did wrong in a pool, the most frequent cause first."""

    def walk_comparison(self, tournament: str, points: int) -> tuple[WalkPoint, ...]:
        """Return how the log ratio of a comparison went, thinned to about so many points, the last kept.

        Raises RefusedError for a tournament that compares nothing.
        """

    def search_bots(self, text: str, limit: int = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        """Return the bots whose names hold a text, by name."""

    def list_newest(self, limit: int) -> tuple[RecentVersion, ...]:
        """Return the versions that were added last, the last first, without the seats that people take."""

    def list_running(self, limit: int) -> tuple[TournamentSummary, ...]:
        """Return the newest tournaments and ladders' seasons that are not over; single matches are none."""

    def find_comparisons(self, bots: Sequence[str], limit: int) -> tuple[TournamentSummary, ...]:
        """Return the newest comparisons in which all these bots take part, any version of each; all without bots."""

    def count_matches(self, tournament: str) -> int:
        """Return about how many matches a tournament has, which costs the same however many there are."""

    def mark(self) -> int | None:
        """Return a number that is another one as soon as anything was written; `None` if there is no telling."""

    def get_record(self, pool: str, version_id: str, points: int) -> Record:
        """Return what a version has behind it in a pool: its curve, opponents, seats and faults.

        The curve is its rating from its first match on, thinned to about so many points, the last kept.
        """

    def list_pools(self) -> tuple[Pool, ...]:
        """Return all pools in which something was rated, the busiest first."""

    def list_opponents(self, game: str, limit: int) -> tuple[str, ...]:
        """Return bots that a visitor can play against at once, those added last first: hosted, admitted, not barred."""

    def list_unfit(self, version_ids: Collection[str]) -> frozenset[str]:
        """Return which of the versions may not be promoted: an owner's that were not admitted, and annulled ones."""

    def export_tournament(self, tournament: str, target: Path) -> str:
        """Write a tournament that is over into a new file, as everybody may have it, and return its name.

        Raises NotFoundError, AmbiguousError, and RefusedError for one that is not over or too large to give out.
        """

    def fit_official(self, pool: str) -> OfficialTable:
        """Return the official table without the chances of pairs; of a large pool that of its best versions.

        It takes seconds to minutes: MOST_IN_OFFICIAL versions are fitted, and only their matches with one another.
        """
