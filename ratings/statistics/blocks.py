"""A block: one opening and one chance seed, played in all rotations of one circular order of entrants. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

Seating = tuple[str, ...]
"""Who plays in a match: entrants by seat."""


def rotations(order: Seating) -> tuple[Seating, ...]:
    """Return the cyclic shifts of a circular order.

    In rotation `k`, `order[k]` sits in seat 0 and its successors in the seats after it, so that everybody sits in every
    seat once and has the same neighbours throughout.
    """
    return tuple(order[shift:] + order[:shift] for shift in range(len(order)))


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it is planned; `index` is its place in the schedule of its tournament."""

    index: int
    order: Seating
    """The entrants (version ids) in circular order: by seat in rotation 0."""
    opening: tuple[int, ...] = ()
    """Action ids that are played before the first decision."""
    chance_seed: int = 0
    """The seed of dice and piles, 0 to 2^53 - 1."""
    is_single: bool = False
    """Whether only rotation 0 is played, as in a single match whose organiser seats the bots."""

    def rotations(self) -> tuple[Seating, ...]:
        """Return who sits where in each match of the block; index = rotation."""
        return (self.order,) if self.is_single else rotations(self.order)
