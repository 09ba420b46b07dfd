"""The part of the interface that is about matches: found, looked at, watched while they are played, replayed.

What holds for every method stands in `arena.client.port`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from arena.client.values.live import LogPart, MatchEvent
from arena.client.values.matches import MatchDetail, MatchSummary, MatchTimes, SeatLog
from arena.client.values.page import DEFAULT_LIMIT, Page
from arena.client.values.replays import Replay, ReplayCheck
from ratings.store.states import MatchState


class Matches(Protocol):
    """The matches of tournaments."""

    def list_matches(
        self,
        tournament: str | None = None,
        state: MatchState | None = None,
        bot: str | None = None,
        fault: str | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> Page[MatchSummary]:
        """Return the matches for which everything that is given is true, those planned last first.

        `bot` sits in it, any version of it or with `@hash` that one; `fault` is the cause of a fault in it, of that bot
        if one is given.
        """

    def get_match(self, match: str) -> MatchDetail:
        """Return all that may be seen of a match but its replay."""

    def get_times(self, match: str) -> MatchTimes:
        """Return how the time of a match was spent. Raise HiddenError while it is hidden."""

    def get_logs(self, match: str, seat: int | None = None) -> tuple[SeatLog, ...]:
        """Return what bots wrote to their output in a match: an owner sees those of his own, an organiser all."""

    def watch_match(self, match: str, after: int | None = None) -> Iterator[MatchEvent]:
        """Yield how a match is played, those events first that have happened, to its end: all that follow `after`.

        Raise HiddenError while the match is hidden.
        """

    def watch_logs(self, match: str, seat: int, after: int = 0) -> Iterator[LogPart]:
        """Yield what the bot in a seat writes, behind the first `after` bytes, until the match is over.

        Raise ForbiddenError for a bot of another owner, and HiddenError while the match is hidden.
        """


class Replays(Protocol):
    """The matches as they were played."""

    def get_replay(self, match: str) -> Replay:
        """Return the replay of a match. Raise HiddenError while the match is hidden."""

    def verify_match(self, match: str) -> ReplayCheck:
        """Play a stored match again, and compare everything."""

    def verify_matches(self, tournament: str | None = None) -> Iterator[ReplayCheck]:
        """Do so for every finished match of a tournament, or of all; for organisers only."""

    def download_replays(self, bot: str, after: str | None = None) -> Iterator[Replay]:
        """Yield the replays of all matches of a bot that may be seen, by match id, those after the id `after`."""
