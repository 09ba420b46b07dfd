"""How a match ended, and what its bots did wrong: plain data that survives JSON, so that it can cross processes."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.text import from_json, to_json


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
