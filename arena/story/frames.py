"""A match as it is shown: one frame for each position. Values, no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.live import LiveEnd
from arena.model.matches import FaultFact
from engine.abilities import ScoringStep
from engine.core import Reveal
from engine.picture import Picture


@dataclass(frozen=True, slots=True)
class Frame:
    """A position, and the ply that led to it. The first frame is the start, which no ply led to."""

    ply: int
    """-1 for the start."""
    decider: int | None
    """The seat that decides next; None at the end of the game."""
    seat: int | None = None
    """Who acted; None for the start, as all that follows is empty then."""
    bot: str = ""
    action: str = ""
    """In the notation of the game."""
    words: tuple[str, ...] = ()
    """What happened, in whole sentences, chance included."""
    chance: tuple[Reveal, ...] = ()
    """What all could see of chance: dice, cards."""
    by: str = ""
    """Who chose the action: "bot", "forced" (there was no other), "opening", "caretaker"."""
    elapsed_us: int | None = None
    charged_us: int | None = None
    note: str = ""
    remaining_us: tuple[int, ...] | None = None
    """What is left in each seat's bank after the ply; None if the match has none."""
    faults: tuple[FaultFact, ...] = ()
    """What went wrong right before the ply, or behind the last one."""
    turn: int | None = None
    """How many turns are over; None where the game counts none."""
    values: tuple[float, ...] | None = None
    """How good the position is for each seat, from 0 to 1; None where the game cannot tell."""
    picture: Picture | None = None
    """None if none was asked for, or the game draws none."""
    text: str = ""
    """The position as text, if a picture was asked for and the game draws none."""


@dataclass(frozen=True, slots=True)
class Finish:
    """How it ended, and how it was scored."""

    end: LiveEnd
    scoring: tuple[ScoringStep, ...]
    """Empty unless the game came to its own end and has a final scoring."""
