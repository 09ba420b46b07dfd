"""What is remembered of waves that are over, in place of their blocks, so that planning on costs the same for ever.

Pure values, no I/O.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Tally:
    """What one entrant has from its blocks."""

    points: int = 0
    possible: int = 0
    """The points it could have from its whole blocks."""
    whole: int = 0
    void: int = 0
    planned: int = 0
    """The number of all its blocks, also those still to be played."""
    failed_in_a_row: int = 0
    """How many of its latest whole blocks, without a break, it forfeited in every match."""
    byes: int = 0
    met: Counter[str] = field(default_factory=Counter)
    """How many blocks it was planned in with each other entrant."""


def never_gathered(_: frozenset[str]) -> int:
    """Return 0: nobody was planned yet."""
    return 0


@dataclass(frozen=True, slots=True)
class Past:
    """The first waves of a tournament, all of them over, as far as a format must know them."""

    waves: int = 0
    """How many they are."""
    blocks: int = 0
    """How many blocks they have."""
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    """By entrant; whoever came later is not there."""
    own: Any = None
    """What the format itself remembers, or `None` if these are no waves."""
    gathered: Callable[[frozenset[str]], int] = never_gathered
    """Returns how many of the blocks seat exactly these entrants."""


NOTHING = Past()
