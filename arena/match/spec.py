"""A match as it is ordered, and what a seat needs of the program that plays in it: plain data that survives JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from arena.match.time_control import TimeControl

DEFAULT_MEMORY_MB = 512
NO_SANDBOX = "none"
PROTOBUF, LINES = "protobuf", "lines"
SANDBOX_LEVELS = (NO_SANDBOX, "reduced", "standard", "strict")
"""From the weakest to the strongest."""
DRAWN_LATER = 0


def weakest_level(levels: Iterable[str]) -> str:
    """Return the weakest of these levels of the sandbox, an unknown level being weaker than all.

    Raises ValueError if there are none.
    """
    return min(levels, key=lambda level: SANDBOX_LEVELS.index(level) if level in SANDBOX_LEVELS else -1)


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """Who plays one seat: an immutable version and how to start it."""

    version: str
    """Content hash (SHA-256, hex)."""
    name: str
    """The bot's name, for logs."""
    directory: str
    """The directory of the version's files."""
    command: tuple[str, ...]
    """The program to run there and its arguments, resolved and ready for exec."""
    seed: int
    """The seed of the bot's own randomness, below 2^53."""
    memory_mb: int = DEFAULT_MEMORY_MB
    """How much memory its whole process tree may use."""
    is_deterministic: bool = False
    """Whether its manifest declares that equal questions get equal answers."""
    sandbox: str = NO_SANDBOX
    """The level of the sandbox for its process: `standard`, `reduced` or `none`."""
    runtime: str = ""
    """The hash of the runtime that it runs in; empty if nobody looked."""
    trees: tuple[str, ...] | None = None
    """What the sandbox shows for its runtime besides the system; None for what the arena's own Python needs."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What its runtime adds to the environment."""
    is_remote: bool = False
    """Whether its author runs it, who connects it to the arena; then `directory` and `command` are empty."""
    barred: Mapping[str, Any] | None = None
    """The evidence that its bot brings down whoever plays with it, so that it gets a fault and is not started."""
    protocol: str = PROTOBUF
    """How messages reach its program: `protobuf`, or `lines` of JSON on standard input and output."""
    games: tuple[str, ...] = ()
    """The games that its manifest names, for who does not say so itself: a program that speaks lines."""

    def to_json(self) -> dict[str, Any]:
        """Return the seat as JSON data; `from_json` is the inverse."""
        return {**{name: getattr(self, name) for name in _PLAIN_OF_SEAT}, "environment": dict(self.environment)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SeatSpec:
        """Return the seat that `to_json` wrote."""
        trees, games = data["trees"], data.get("games", ())
        words = {"command": tuple(data["command"]), "games": tuple(games)}
        return cls(**{**data, **words, "trees": None if trees is None else tuple(trees)})

    @property
    def speaks_lines(self) -> bool:
        """Whether its program reads and writes lines of JSON."""
        return self.protocol == LINES


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
    """The name of the block it belongs to, whose matches share their chance; empty if it belongs to none."""
    checks_leaks: bool = False
    """Whether its deterministic bots are asked again in fresh processes (`arena.match.leak_check`)."""
    keeps_logs: bool = False
    """Whether its report tells what its bots wrote to their output, and how their processes did."""
    uses_fresh_bots: bool = False
    """Whether every seat gets a new process, which ends with the match."""
    is_rated: bool = True
    """Whether it counts for ratings; one that does not waits behind those that do for a remote bot's room."""

    @property
    def has_remote(self) -> bool:
        """Return whether a remote bot plays in it."""
        return any(seat.is_remote for seat in self.seats)

    def to_json(self) -> dict[str, Any]:
        """Return the spec as JSON data; `from_json` is the inverse."""
        data = {name: getattr(self, name) for name in _PLAIN}  # asdict() would copy what only is written
        seats = [seat.to_json() for seat in self.seats]
        return {**data, "options": dict(self.options), "clock": self.clock.to_json(), "seats": seats}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchSpec:
        """Return the spec that `to_json` wrote."""
        return cls(
            **{
                **data,
                "clock": TimeControl.from_json(data["clock"]),
                "opening": tuple(data["opening"]),
                "seats": tuple(map(SeatSpec.from_json, data["seats"])),
            }
        )


_PLAIN_OF_SEAT = tuple(name for name in SeatSpec.__dataclass_fields__ if name != "environment")
_PLAIN = tuple(name for name in MatchSpec.__dataclass_fields__ if name not in ("options", "clock", "seats"))
"""The fields that are JSON data as they are."""


class SeatManifest(Protocol):
    """What the author of a program says of it."""

    @property
    def protocol(self) -> str:
        """How messages reach it."""

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games it plays, or `*` for every game."""


class SeatProgram(Protocol):
    """The program of one version, ready to be started."""

    @property
    def directory(self) -> Path:
        """Where its files lie."""

    @property
    def command(self) -> tuple[str, ...]:
        """What starts it there, ready for exec."""

    @property
    def runtime(self) -> str:
        """The hash of the runtime that it runs in."""

    @property
    def trees(self) -> tuple[str, ...] | None:
        """What its runtime needs of this machine besides the system; None for what the arena's own Python does."""

    @property
    def environment(self) -> Mapping[str, str]:
        """What its runtime adds to the environment."""

    @property
    def memory_mb(self) -> int:
        """What its whole process tree may use."""

    @property
    def is_deterministic(self) -> bool:
        """Whether it promises equal answers to equal questions."""

    @property
    def manifest(self) -> SeatManifest:
        """What its author says of it."""


def program_seat(name: str, version: str, program: SeatProgram, level: str, seed: int = DRAWN_LATER) -> SeatSpec:
    """Return a seat for the version with that content hash, whose program runs at that level of the sandbox."""
    return SeatSpec(
        version=version,
        name=name,
        directory=str(program.directory),
        command=program.command,
        seed=seed,
        memory_mb=program.memory_mb,
        is_deterministic=program.is_deterministic,
        sandbox=level,
        runtime=program.runtime,
        trees=program.trees,
        environment=program.environment,
        protocol=program.manifest.protocol,
        games=program.manifest.games if program.manifest.protocol == LINES else (),
    )
