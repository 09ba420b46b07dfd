"""What a tournament format is, and what it is told: values and one protocol. Pure, no I/O.

A format plans in waves. Wave `k` is a function of the entrants, of the blocks planned in earlier waves, of the results
of waves up to `k - lag`, and of the seed: never of workers or of the order in which matches end. A block counts only
when it is whole: one void match voids its block.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

CircularOrder = tuple[str, ...]
"""The circular order of a block: entrants by seat in its first match; each further match turns it by one seat."""


class BlockState(enum.Enum):
    """What is known of a planned block."""

    PENDING = "pending"
    """Not over, or its wave is not yet to be looked at."""
    WHOLE = "whole"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """A planned block, and what came of it."""

    order: CircularOrder
    state: BlockState = BlockState.PENDING
    ranks: tuple[tuple[int, ...], ...] = ()
    """`ranks[rotation][seat]`, 1 = best; only of a whole block."""
    forfeits: tuple[frozenset[str], ...] = ()
    """Who forfeited, by rotation."""
    digests: tuple[str, ...] = ()
    """The game digest of each match; equal for equal play."""

    @property
    def is_pending(self) -> bool:
        """Whether it may still change."""
        return self.state is BlockState.PENDING

    @property
    def is_whole(self) -> bool:
        """Whether it counts."""
        return self.state is BlockState.WHOLE


Wave = tuple[PlayedBlock, ...]


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part, and in which waves."""

    id: str
    joined: int = 0
    """The first wave it is planned in."""
    withdrawn: int | None = None
    """The first wave it is not planned in any more."""

    def is_in(self, wave: int) -> bool:
        """Whether it may be planned in that wave."""
        return self.joined <= wave and not self.has_left(wave)

    def has_left(self, wave: int) -> bool:
        """Whether it had withdrawn when that wave was planned."""
        return self.withdrawn is not None and self.withdrawn <= wave


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a plan may depend on. Only the places of the entrants matter, never their ids."""

    entrants: tuple[Entrant, ...]
    waves: tuple[Wave, ...]
    """Those planned so far; results that may not be looked at yet are PENDING."""
    seed: int

    @property
    def wave(self) -> int:
        """The wave to be planned."""
        return len(self.waves)

    @property
    def present(self) -> list[str]:
        """Who may be planned in it, in the order of entry."""
        return [entrant.id for entrant in self.entrants if entrant.is_in(self.wave)]

    @property
    def blocks(self) -> list[PlayedBlock]:
        """All planned blocks in the order of play."""
        return [block for wave in self.waves for block in wave]
