"""What pages ask of a database besides the nouns: many versions at once, in one reading each.

No service answers this; who asks a service asks noun by noun.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from arena.client.arena import ArenaPort
from arena.client.values.bots import BotSummary
from arena.client.values.leaderboards import Leaderboard
from arena.client.values.overview import FaultCount, Form, NewVersion, Record, Standing, WalkPoint
from arena.client.values.page import DEFAULT_LIMIT, Page
from arena.client.values.pools import Pool
from arena.client.values.ratings import OfficialTable
from arena.client.values.tournaments import TournamentSummary

MOST_IN_OFFICIAL = 500
"""So many versions of a pool are fitted together, the best by the live rating: time grows with the cube of them."""


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

    def list_newest(self, limit: int) -> tuple[NewVersion, ...]:
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

    def fit_official(self, pool: str) -> OfficialTable:
        """Return the official table without the chances of pairs; of a large pool that of its best versions.

        It takes seconds to minutes: MOST_IN_OFFICIAL versions are fitted, and only their matches with one another.
        """


class ShownArena(ArenaPort, Protocol):
    """An arena that pages show."""

    @property
    def overview(self) -> Overview:
        """What is read of many versions at once."""
