"""What a match asks of a bot, and what it writes down about each ply: values."""

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
class ReplayEntry:
    """One ply as the replay keeps it."""

    ply: int
    seat: int
    action: int
    by: DecidedBy
    decide: int = -1
    """The ply of the `Decide` that a bot answered, equal for all actions of one answer; -1 if no bot chose it."""
    elapsed_us: int = 0
    """From the `Decide` to the answer. Only the first action of an answer has it, as it has the charge and the note."""
    charged_us: int = 0
    note: str = ""
    figures: Figures | None = None
    """What the charge was computed from; None if the decision was too short to be measured."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A point at which one seat must be asked."""

    seat: int
    ply: int
    legal: Sequence[int]
    """The ids it may answer, ascending; at least two."""
    events: Sequence[Event]
    """What this seat may see of all plies since it last heard, in order."""
    bank_us: int
    time_limit_us: int
    """0 = no limit; the margin is not counted."""
    dropped: int
    """How many ids of this seat's last answer were not played."""
