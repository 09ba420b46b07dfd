"""What a seat needs of the program that plays in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from arena.match.spec import SeatSpec

DRAWN_LATER = 0


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
    )
