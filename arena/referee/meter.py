"""What measures a bot, as the referee needs it; who starts bots hands it in."""

from __future__ import annotations

from typing import Protocol


class Meter(Protocol):
    """Measures the process tree of one bot, from the start of a decision."""

    def begin(self) -> None:
        """A decision starts; cheap if the last one was short."""

    def look(self) -> tuple[int, int] | None:
        """CPU and waiting for a processor since `begin`, in microseconds; None if they cannot be read.

        The finer the looks, the truer the waiting.
        """

    def has_run(self) -> bool:
        """Whether the bot has computed since `begin`; cheap."""

    def total_us(self) -> int:
        """CPU since some fixed moment, in microseconds; cheap."""
