"""What one who learns is told while it plays beside others: values, and the interface of whoever seats the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.match.result import Fault
from engine.core import Observation, State


@dataclass(frozen=True, slots=True)
class LearnerTurn:
    """The learner must choose."""

    ply: int
    legal: Sequence[int]
    seen: Observation | State
    """What it sees of the position. Do not change it."""
    faults: Sequence[Fault]
    """What the others did wrong so far."""


@dataclass(frozen=True, slots=True)
class End:
    """The match is over."""

    ranks: Sequence[int]
    faults: Sequence[Fault]


@dataclass(frozen=True, slots=True)
class Start:
    """How a match begins."""

    learner: int
    """The seat of who learns; the opponents sit in the others, in their order."""
    chance_seed: int
    opening: tuple[int, ...]
    seeds: tuple[int, ...]
    """The seed of each seat's bot."""


class MatchDriver(Protocol):
    """Seats the other bots and plays matches, one at a time."""

    def begin(self, start: Start) -> LearnerTurn | End:
        """Begin a match, breaking off one that is under way, and play to where the learner must choose.

        Raises OpponentError, TableError, and AdapterError for a bot that cannot sit down.
        """

    def act(self, action: int) -> LearnerTurn | End:
        """Play a legal action of the learner. Raises OpponentError, TableError."""

    def stop(self) -> None:
        """Break the match off that is under way, if there is one."""

    def close(self) -> None:
        """End every process."""
