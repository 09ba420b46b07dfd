"""Why a match could not be played although no bot did anything wrong. Plain exceptions that survive JSON.

MatchLostError          the host could not play one match; it is aborted, never rated, and played again
└── HostBrokenError     and the process that tried can play nothing any more
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, ClassVar

from engine.text import from_json, to_json


class HostCause(enum.StrEnum):
    """Why the host could not play a match: no bot is to blame, the match is not rated and is played again."""

    WORKER_DIED = "WORKER_DIED"
    NODE_LOST = "NODE_LOST"
    """Machine after machine was lost while they played it."""
    LAUNCHER_LOST = "LAUNCHER_LOST"
    HOSTING_FAILED = "HOSTING_FAILED"
    """A process could not be started or ended, and not through its own program."""
    SANDBOX_FAILED = "SANDBOX_FAILED"
    REFEREE_LAG = "REFEREE_LAG"
    CHARGE_BOUND = "CHARGE_BOUND"
    """A decision lasted longer than any charge can explain."""
    STORAGE_FAILED = "STORAGE_FAILED"
    LEASE_EXPIRED = "LEASE_EXPIRED"
    UNPLAYABLE = "UNPLAYABLE"
    """The worker cannot play what was ordered, for example for want of that version of the rules."""
    CANCELLED = "CANCELLED"


class MatchLostError(Exception):
    """The host could not play the match, and no bot is to blame. The message is a sentence for people."""

    kind: ClassVar[str] = "unavailable"

    def __init__(
        self, reason: str, cause: HostCause = HostCause.WORKER_DIED, evidence: Mapping[str, Any] | None = None
    ) -> None:
        """Keep `evidence` (exit status or signal, last output, figures), which must be ready for JSON."""
        super().__init__(reason)
        self.cause = cause
        self.evidence: dict[str, Any] = dict(evidence or {})

    def to_json(self) -> dict[str, Any]:
        """Return the error as JSON data; `from_json` is the inverse."""
        is_last = isinstance(self, HostBrokenError)
        return {"reason": to_json(str(self)), "cause": self.cause.value, "evidence": self.evidence, "is_last": is_last}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> MatchLostError:
        """Return the error that `to_json` wrote: a HostBrokenError if it `is_last`."""
        kind = HostBrokenError if data["is_last"] else MatchLostError
        return kind(from_json(data["reason"]), HostCause(data["cause"]), data["evidence"])


class HostBrokenError(MatchLostError):
    """The host could not play the match and can play nothing any more: it must be started afresh."""
