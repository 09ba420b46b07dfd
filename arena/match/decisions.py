"""What a match asks for and what it writes down: values."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from arena.match.timing import Figures
from engine.record import Event


class DecidedBy(enum.StrEnum):
    """Who chose an action."""

    BOT = "bot"
    FORCED = "forced"
    OPENING = "opening"
    CARETAKER = "caretaker"


@dataclass(frozen=True, slots=True)
class Entry:
    """One ply as the replay keeps it."""

    ply: int
    seat: int
    action: int
    by: DecidedBy
    decide: int = -1
    """Ply of the `Decide` that a bot answered; equal for all actions of one answer."""
    elapsed_us: int = 0
    """From the `Decide` to the answer; only on the first action of an answer, like the charge and the note."""
    charged_us: int = 0
    note: str = ""
    figures: Figures | None = None
    """What the charge was computed from; None stands for a decision that nobody looked at."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What must be asked next."""

    seat: int
    ply: int
    legal: Sequence[int]
    events: Sequence[Event]
    """What this seat may see of all plies since it last heard."""
    bank_us: int
    time_limit_us: int
    """0 = no limit; the margin is not counted."""
    dropped: int
    """How many ids of this seat's last answer were dropped."""
