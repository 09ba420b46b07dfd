"""The interface of whatever plays matches, be it workers on this machine or a cluster, and its errors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import ClassVar, Protocol, Self, runtime_checkable

from arena.match.live import LiveEvent
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport


class ExecutorFailedError(Exception):
    """Nothing can be played any more: workers do not start, or the executor was closed. The message says which."""

    kind: ClassVar[str] = "unavailable"


class NotBegunError(Exception):
    """The match did not begin, and nothing has happened in it: it can be ordered again as it is."""

    def __init__(self) -> None:
        super().__init__("the match did not begin")


class NotWatchableError(LookupError):
    """The match is neither played nor waiting here; if it is over, its replay tells everything."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not played here now; if it is over, see its replay")
        self.match_id = match_id


class WatcherFellBehindError(Exception):
    """A watcher took the events too slowly: `sequence` is that of the last it has, from which it may go on."""

    def __init__(self, sequence: int) -> None:
        super().__init__(f"the watcher was too slow; watch again from event {sequence}")
        self.sequence = sequence


class Executor(Protocol):
    """Plays matches somewhere. Used as an async context manager; leaving it ends every process it started."""

    async def __aenter__(self) -> Self:
        """Start what is needed."""

    async def __aexit__(self, *exc_info: object) -> None:
        """End every worker and bot; nothing is left behind."""

    def slots(self) -> int:
        """Return how many matches it plays at once; a few more waiting keep the workers busy."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        """Play one match. Raises MatchLostError when the host failed, never because of a bot; ExecutorFailedError."""

    async def cancel(self, match_id: str) -> None:
        """End a match without a report: its `run` raises MatchLostError. Unknown ids are ignored."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match (`arena.match.live`) that follow the sequence `after`, to its end.

        What has happened comes first; a match that waits for its turn is waited for. Logs come of the seats in `logs`.
        Close the generator (`contextlib.aclosing`) when nobody wants more. Raises NotWatchableError; the generator
        raises WatcherFellBehindError.
        """

    def count_warm_bots(self) -> int:
        """Return how many processes of bots are kept for later matches, as far as is known."""


@runtime_checkable
class Failing(Protocol):
    """An executor that learns by itself that nothing can be played any more, also while nothing is to be played."""

    async def failed(self) -> Exception:
        """Return why, as soon as that is so."""
