"""A match as it is ordered, and what comes back: plain data that survives JSON, so it can cross processes."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.match.clock import TimeControl

DEFAULT_MEMORY_MB = 512
UNCONFINED = "none"
SANDBOX_LEVELS = (UNCONFINED, "reduced", "standard", "strict")
"""From the weakest to the strongest."""


class FaultCause(enum.StrEnum):
    """What a seat did wrong; the names of `arena.v1.FaultCause` without their prefix."""

    START_FAILED = "START_FAILED"
    PROTOCOL = "PROTOCOL"
    TIMEOUT = "TIMEOUT"
    MALFORMED = "MALFORMED"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    DISCONNECTED = "DISCONNECTED"
    RESOURCE = "RESOURCE"
    FLOOD = "FLOOD"


class HostCause(enum.StrEnum):
    """Why the host could not play a match: no bot is to blame, the match is not rated and is played again."""

    WORKER_DIED = "WORKER_DIED"
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


def weakest_level(levels: Iterable[str]) -> str:
    """The weakest of these levels of the sandbox; an unknown one is weaker than all. Raises ValueError for none."""
    return min(levels, key=lambda level: SANDBOX_LEVELS.index(level) if level in SANDBOX_LEVELS else -1)


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """Who sits where: an immutable version and how to start it."""

    version: str
    """Content hash (SHA-256, hex)."""
    name: str
    """The bot's name, for logs."""
    directory: str
    """Where the version's files lie."""
    command: tuple[str, ...]
    """What starts it there; resolved, ready for exec."""
    seed: int
    """For the bot's own randomness, below 2^53."""
    memory_mb: int = DEFAULT_MEMORY_MB
    """What its whole process tree may use."""
    is_deterministic: bool = False
    """Whether its manifest declares that equal questions get equal answers."""
    sandbox: str = UNCONFINED
    """The level at which its process must be kept: `standard`, `reduced` or `none`."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to play. Equal specs with deterministic bots give equal game digests."""

    match_id: str
    attempt: int
    game: str
    rules_version: str
    options: Mapping[str, Any]
    clock: TimeControl
    cores: int
    chance_seed: int
    opening: tuple[int, ...]
    seats: tuple[SeatSpec, ...]
    block: str = ""
    """Names the block it belongs to; matches of one block share their chance. Empty: none."""
    checks_leaks: bool = False
    """Whether its deterministic bots are asked again in fresh processes; see `arena.match.retrial`."""

    def to_json(self) -> dict[str, Any]:
        """The spec as JSON; `from_json` is the inverse."""
        data = asdict(self)
        data["options"] = dict(self.options)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchSpec:
        """The spec that `to_json` wrote."""
        return cls(
            **{
                **data,
                "clock": TimeControl(**data["clock"]),
                "opening": tuple(data["opening"]),
                "seats": tuple(SeatSpec(**{**seat, "command": tuple(seat["command"])}) for seat in data["seats"]),
            }
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """What a seat did wrong, with the evidence."""

    seat: int
    cause: FaultCause
    ply: int
    explanation: str
    """One sentence for people."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """Exit status, last messages, times, tail of stderr; shown to the bot's owner."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fault:
        """Return the fault that `MatchResult.to_json` wrote."""
        return cls(**{**data, "cause": FaultCause(data["cause"])})


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The end of a match."""

    ranks: tuple[int, ...]
    """Rank of each seat, 1 = best, ties share."""
    by_rules: bool
    """Whether the game reached its own end."""
    rated: bool
    """False when every seat faulted before any acted."""
    forfeits: tuple[int, ...]
    """Seats that forfeited, the earliest first; resigned ones too."""
    resigned: tuple[int, ...]
    faults: tuple[Fault, ...]
    details: Mapping[str, Any]
    """`Outcome.details` of the game; empty unless `by_rules`."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON data; `from_json` is the inverse."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchResult:
        """Return the result that `to_json` wrote."""
        tuples = {name: tuple(data[name]) for name in ("ranks", "forfeits", "resigned")}
        return cls(**{**data, **tuples, "faults": tuple(map(Fault.from_json, data["faults"]))})


class LeakVerdict(enum.StrEnum):
    """What fresh processes of a bot said to the questions that a used one had answered."""

    EQUAL = "equal"
    """The same: nothing leaked from earlier matches."""
    LEAK = "leak"
    """Both the same, and not what the used process had said: it remembered something."""
    UNSTABLE = "unstable"
    """They do not even agree with each other: the bot is not deterministic, whatever it declares."""
    UNKNOWN = "unknown"
    """A fresh process did not start, or did not answer."""


@dataclass(frozen=True, slots=True)
class LeakCheck:
    """The answers of one seat compared with those of fresh processes of the same bot."""

    seat: int
    verdict: LeakVerdict
    ply: int | None
    """The first decision that was answered otherwise."""
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """`used` and `fresh`: what was answered there."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LeakCheck:
        """Return the check that `MatchReport.to_json` wrote."""
        return cls(**{**data, "verdict": LeakVerdict(data["verdict"])})


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What playing a `MatchSpec` gives back. `replay` is the document of `arena.match.replay`, canonical JSON, zlib."""

    match_id: str
    attempt: int
    result: MatchResult
    plies: int
    decisions: int
    """Plies that a bot was asked for (neither forced nor opening nor caretaker)."""
    started_at_us: int
    """UTC, microseconds since 1970."""
    duration_us: int
    game_digest: str
    record_digest: str
    replay: bytes
    sandbox: str = UNCONFINED
    """The weakest level at which one of its bots was kept."""
    leak_checks: tuple[LeakCheck, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report without its replay as JSON data; `from_json` is the inverse."""
        data = asdict(self)
        del data["replay"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any], replay: bytes) -> MatchReport:
        """Return the report that `to_json` wrote, with its replay, which travels beside the JSON."""
        result, checks = MatchResult.from_json(data["result"]), map(LeakCheck.from_json, data["leak_checks"])
        return cls(**{**data, "result": result, "leak_checks": tuple(checks)}, replay=replay)
