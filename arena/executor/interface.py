"""Where matches run: the one interface of local workers and clusters.

MatchLostError          the host could not play one match; nobody's bot is to blame
└── HostBrokenError     and the process that tried can play nothing any more
ExecutorFailedError     nothing can be played any more
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self

from arena.match.spec import HostCause, MatchReport, MatchSpec


class MatchLostError(Exception):
    """The host could not play the match; no bot is to blame. It may be played again. The message is for people."""

    def __init__(
        self, reason: str, cause: HostCause = HostCause.WORKER_DIED, evidence: Mapping[str, Any] | None = None
    ) -> None:
        """`evidence` is ready for JSON: exit status or signal, last output, figures."""
        super().__init__(reason)
        self.cause = cause
        self.evidence: dict[str, Any] = dict(evidence or {})


class HostBrokenError(MatchLostError):
    """The host could not play the match, and can play nothing any more: it must be started afresh."""


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
