"""A match as it is ordered, and what comes back: plain data that survives JSON, so it can cross processes."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.match.clock import TimeControl

DEFAULT_MEMORY_MB = 512
UNCONFINED = "none"


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
