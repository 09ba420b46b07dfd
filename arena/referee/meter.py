"""What measures a bot and the referee itself, as the referee needs it; who starts bots hands both in."""

from __future__ import annotations

from typing import Protocol


class Meter(Protocol):
    """Measures the process tree of one bot, from the start of a decision."""

    def begin(self) -> None:
        """Start a decision; cheap if the last one was short."""

    def look(self) -> tuple[int, int] | None:
        """Return CPU and waiting for a processor since `begin`, in microseconds, or None if they cannot be read.

        The finer the looks, the truer the waiting.
        """

    def has_run(self) -> bool:
        """Return whether the bot has computed since `begin`; cheap."""

    def total_us(self) -> int:
        """Return the CPU since some fixed moment, in microseconds; cheap."""


class LagMeter(Protocol):
    """Measures how long the referee itself waits for a processor."""

    def look(self) -> tuple[int, int]:
        """Return microseconds since the last look, 0 at the first: waits that are over, and one that lasts."""
