"""What takes part in a match: the bots in its seats, and who watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena.referee.freezing import SeatFreezer
from arena.referee.meter import Meter
from arena.referee.seat_stream import SeatStream


@dataclass(frozen=True, slots=True)
class SeatedBot:
    """A bot that has joined and takes a seat."""

    stream: SeatStream
    meter: Meter | None = None
    """What measures its processes; without a meter the bot is charged wall time."""
    freezer: SeatFreezer | None = None
    """What keeps it from computing while it is not asked; None for a bot that runs elsewhere."""


class MatchWatcher(Protocol):
    """Looks at a match between its decisions."""

    @property
    def is_present(self) -> bool:
        """Whether it wants to look; asked before every decision, so it must be cheap."""

    async def look(self) -> None:
        """Look at what has happened. No clock runs meanwhile, and the match waits."""
