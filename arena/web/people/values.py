"""What is asked for at a table, and what a browser is shown of it. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.model.people import LONGEST_NAME, PlayLimits


class TableClock(StrEnum):
    """The clock of a table; bots at it play by the same."""

    GENEROUS = "generous"
    BRISK = "brisk"
    OFF = "off"
    """None but the time after which an idle seat resigns."""


_TIMES = {TableClock.GENEROUS: "600+30", TableClock.BRISK: "120+10"}
_BEYOND_IDLE_S = 60
"""How much longer than the idle time the limit of a decision is without a clock, so that idling is never a fault."""


def time_of(pace: TableClock, rules: PlayLimits) -> str:
    """Return the time control of a pace, as a service reads it."""
    return _TIMES.get(pace) or f"{int(rules.idle_s) + _BEYOND_IDLE_S}s"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOrder:
    """A table that a visitor wants."""

    game: str
    sitting: tuple[str | None, ...]
    """Who sits where: the name of a bot, or None for a person."""
    names: tuple[str, ...] = ()
    """What the people call themselves, in the order of their seats; whoever says nothing has a number."""
    pace: TableClock = TableClock.GENEROUS
    options: Mapping[str, Any] = field(default_factory=dict)
    rated: bool = False
    invited: tuple[int, ...] = ()
    """The seats of those people who come by a link, in browsers of their own."""

    @property
    def people(self) -> int:
        """Return how many seats people take."""
        return self.sitting.count(None)

    def called(self) -> tuple[str, ...]:
        """Return what everybody is called, people and bots."""
        return tuple(person or bot or "" for person, bot in zip(self.persons(), self.sitting, strict=True))

    def persons(self) -> tuple[str, ...]:
        """Return what each seat is called that a person takes, and nothing for a bot's."""
        said = iter([*self.names, *[""] * len(self.sitting)])
        called = [shown_name(next(said)) if bot is None else "" for bot in self.sitting]
        missing = (f"Player {number}" if self.people > 1 else "Guest" for number in range(1, len(called) + 1))
        return tuple(
            name if bot is not None else name or default
            for bot, name, default in zip(self.sitting, called, missing, strict=True)
        )


def shown_name(name: str) -> str:
    """Return a name as it can be shown: in one line, and not too long."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:LONGEST_NAME].strip()


class HumanSeatState(StrEnum):
    """Where a seat stands."""

    WAITING = "waiting"
    """The match has not begun, or begins anew."""
    THINKING = "thinking"
    """Others decide."""
    ASKED = "asked"
    """The person decides."""
    OVER = "over"
    """The match is over for this seat."""
    LOST = "lost"
    """The match has no result: the service gave it up, or does not let the visitor in."""


@dataclass(frozen=True, slots=True)
class SeatEnding:
    """How a match ended for a seat."""

    ranks: tuple[int, ...]
    details: Mapping[str, Any]
    faults: tuple[str, ...] = ()
    """What this seat did wrong, in words."""
    resigned: str = ""
    """Why it gave up, if it did: `asked` by the person, or `idle`."""


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """A decision that waits for a person, with the time that is left when it is looked at."""

    ply: int
    legal: tuple[int, ...]
    left_us: int | None
    """Until the limit of this decision; None without one."""
    bank_us: int | None
    idle_left_s: float
    """After which the seat resigns."""
