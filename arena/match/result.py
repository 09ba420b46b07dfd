"""How a match ended: its result, faults of bots, faults of the host, and what a leak check says. Plain data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from engine.translatable import from_json, to_json


class FaultCause(enum.StrEnum):
    """What a seat may do wrong: the names of `arena.v1.FaultCause` without their prefix."""

    START_FAILED = "START_FAILED"
    PROTOCOL = "PROTOCOL"
    TIMEOUT = "TIMEOUT"
    MALFORMED = "MALFORMED"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    DISCONNECTED = "DISCONNECTED"
    RESOURCE = "RESOURCE"
    FLOOD = "FLOOD"


@dataclass(frozen=True, slots=True)
class Fault:
    """What a seat did wrong and at which ply, with the evidence."""

    seat: int
    cause: FaultCause
    ply: int
    explanation: str
    """One sentence for people."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """Exit status, last messages, times, tail of stderr; shown to the bot's owner."""

    def to_json(self) -> dict[str, Any]:
        """Return the fault as JSON data that keeps which text its explanation is; `from_json` is the inverse."""
        return {**asdict(self), "explanation": to_json(self.explanation)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fault:
        """Return the fault that `to_json`, or `MatchResult.to_json`, wrote."""
        return cls(**{**data, "cause": FaultCause(data["cause"]), "explanation": from_json(data["explanation"])})


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The end of a match: by the rules, or because of forfeits."""

    ranks: tuple[int, ...]
    """The rank of each seat, 1 = best, equal where seats tie."""
    by_rules: bool
    """Whether the game reached its own end."""
    rated: bool
    """False if every seat made a fault before any of them acted."""
    forfeits: tuple[int, ...]
    """The seats that forfeited, those that resigned among them, in the order in which they did."""
    resigned: tuple[int, ...]
    faults: tuple[Fault, ...]
    details: Mapping[str, Any]
    """`Outcome.details` of the game; empty unless `by_rules`."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON data, as a replay has it, with plain words; `from_json` is the inverse."""
        return {
            "ranks": self.ranks,
            "by_rules": self.by_rules,
            "rated": self.rated,
            "forfeits": self.forfeits,
            "resigned": self.resigned,
            "faults": [asdict(fault) for fault in self.faults],
            "details": self.details,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchResult:
        """Return the result that `to_json` wrote."""
        tuples = {name: tuple(data[name]) for name in ("ranks", "forfeits", "resigned")}
        return cls(**{**data, **tuples, "faults": tuple(map(Fault.from_json, data["faults"]))})


class HostCause(enum.StrEnum):
    """Why the host could not play a match: no bot is to blame, the match is not rated and is played again."""

    WORKER_DIED = "WORKER_DIED"
    NODE_LOST = "NODE_LOST"
    """Machine after machine was lost while they played it."""
    LAUNCHER_LOST = "LAUNCHER_LOST"
    HOSTING_FAILED = "HOSTING_FAILED"
    """A process could not be started or ended, and not through its own program."""
    SANDBOX_FAILED = "SANDBOX_FAILED"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    """The kernel killed a bot for want of memory, and not because the bot used too much."""
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


class LeakVerdict(enum.StrEnum):
    """What fresh processes of a bot said to the questions that a used one had answered."""

    EQUAL = "equal"
    """The same answers: nothing leaked from earlier matches."""
    LEAK = "leak"
    """The same answers as each other, but not those of the used process: it remembered something."""
    UNSTABLE = "unstable"
    """Different answers even among themselves: the bot is not deterministic, whatever it declares."""
    UNKNOWN = "unknown"
    """No verdict: a fresh process did not start, or did not answer."""
