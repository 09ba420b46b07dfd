"""Where matches run: the one interface of local workers and clusters."""

from __future__ import annotations

from typing import Protocol, Self

from arena.match.spec import MatchReport, MatchSpec


class MatchLostError(Exception):
    """The host could not play the match (a worker died, storage failed); nobody is to blame. It may be played again."""


class ExecutorFailedError(Exception):
    """Nothing can be played any more: workers do not start, or the executor was closed. The message says why."""


class Executor(Protocol):
    """Plays matches somewhere. Used as an async context manager; leaving it ends every process it started."""

    async def __aenter__(self) -> Self:
        """Start what is needed."""

    async def __aexit__(self, *exc_info: object) -> None:
        """End every worker and bot; nothing is left behind."""

    def slots(self) -> int:
        """How many matches it plays at once; ordering a few more keeps the workers busy."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        """Play one match. Raises MatchLostError when the host failed, never because of a bot; ExecutorFailedError."""

    async def cancel(self, match_id: str) -> None:
        """End a match without a report; its `run` raises MatchLostError. Unknown ids are ignored."""
