"""A match as it is ordered: plain data that survives JSON, so that it can cross processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.match.time_control import TimeControl

DEFAULT_MEMORY_MB = 512
NO_SANDBOX = "none"
SANDBOX_LEVELS = (NO_SANDBOX, "reduced", "standard", "strict")
"""From the weakest to the strongest."""


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
    sandbox: str = NO_SANDBOX
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
