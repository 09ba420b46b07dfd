"""The interfaces of what measures a bot and the referee itself; whoever starts the bots implements them."""

from __future__ import annotations

from typing import Protocol


class Meter(Protocol):
    """Measures the process tree of one bot, from the start of a decision."""

    def begin(self) -> None:
        """Start a decision; cheap if the last one was short."""

    def look(self) -> tuple[int, int] | None:
        """Return CPU and waiting for a processor since `begin`, in microseconds, or None if they cannot be read.

        The more frequent the looks, the more exact is the waiting.
        """

    def has_run(self) -> bool:
        """Return whether the bot has computed since `begin`; cheap."""

    def lowered_to(self) -> int:
        """Return the nice value to which the bot lowered its own weight beside others; 0 if it has not."""

    def total_us(self) -> int:
        """Return the CPU since some fixed moment, in microseconds; cheap."""


class LagMeter(Protocol):
    """Measures how long the referee itself waits for a processor, or works for other bots."""

    def begin(self) -> None:
        """Start a decision; cheap."""

    def look(self) -> tuple[int, int]:
        """Return microseconds of waits and such work that ended since the last look, and of a wait that lasts."""
