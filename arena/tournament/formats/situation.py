"""What a format plans from: entrants, the blocks planned so far, and what came of them. Pure values, no I/O."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arena.tournament.formats.past import NOTHING, Past
from ratings.statistics.blocks import rotations

CircularOrder = tuple[str, ...]
"""Who sits beside whom in a block: entrants by seat in its first match; each further match turns it by one seat."""


class BlockState(enum.Enum):
    """What is known of a planned block."""

    PENDING = "pending"
    """It is not over, or its wave may not be looked at yet."""
    WHOLE = "whole"
    """All its matches are finished, so it counts."""
    VOID = "void"
    """At least one of its matches will never have a result, so it does not count."""
    ANNULLED = "annulled"
    """All its matches are finished, and the organiser annulled it: it does not count, as if it were void."""


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """A planned block and what came of it; `ranks`, `forfeits` and `digests` are empty while it is open or void."""

    order: CircularOrder
    state: BlockState = BlockState.PENDING
    ranks: tuple[tuple[int, ...], ...] = ()
    """`ranks[rotation][seat]`, 1 = best, ties share a rank."""
    forfeits: tuple[frozenset[str], ...] = ()
    """The entrants that forfeited; index = rotation."""
    digests: tuple[str, ...] = ()
    """The game digest of each match, equal for equal play; index = rotation."""

    @property
    def is_pending(self) -> bool:
        """Whether its state may still change."""
        return self.state is BlockState.PENDING

    @property
    def is_whole(self) -> bool:
        """Whether it counts."""
        return self.state is BlockState.WHOLE

    @property
    def is_lost(self) -> bool:
        """Whether it is over and does not count."""
        return self.state in (BlockState.VOID, BlockState.ANNULLED)

    def rotations(self) -> tuple[CircularOrder, ...]:
        """Return the entrants by seat in each of its matches; index = rotation."""
        return rotations(self.order)


Wave = tuple[PlayedBlock, ...]
"""The blocks that were planned together, in the order of play."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part, and in which waves."""

    id: str
    joined: int = 0
    """The first wave it is planned in."""
    withdrawn: int | None = None
    """The first wave it is not planned in any more, or `None` while it takes part."""
    away: tuple[tuple[int, int], ...] = ()
    """When it had withdrawn and come back: the first wave it was not planned in, and the first it was again."""
    owner: str | None = None
    """Whose it is, if it must not meet others of the same; `None`: it meets anybody."""

    def is_in(self, wave: int) -> bool:
        """Return whether it may be planned in `wave`."""
        return self.joined <= wave and not self.has_left(wave)

    def has_left(self, wave: int) -> bool:
        """Return whether it had withdrawn when `wave` was planned."""
        if self.withdrawn is not None and self.withdrawn <= wave:
            return True
        return any(left <= wave < back for left, back in self.away)


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a plan may depend on. Of the entrants only their places in the list matter, never their ids."""

    entrants: tuple[Entrant, ...]
    """Everybody who ever entered, in the order of entry."""
    waves: tuple[Wave, ...]
    """The waves planned so far, behind those of the past; blocks whose results may not be looked at are PENDING."""
    seed: int
    past: Past = NOTHING
    """The waves before these, of which the blocks are not there any more."""

    @property
    def wave(self) -> int:
        """The number of the wave to be planned, from 0."""
        return self.past.waves + len(self.waves)

    @property
    def present(self) -> list[str]:
        """The entrants that may be planned in that wave, in the order of entry."""
        return [entrant.id for entrant in self.entrants if entrant.is_in(self.wave)]

    @property
    def blocks(self) -> list[PlayedBlock]:
        """All planned blocks behind the past, in the order of play."""
        return [block for wave in self.waves for block in wave]
