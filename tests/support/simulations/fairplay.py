"""Fields with planted collusion and honest ones, and what the search for collusion finds in them.

`python -m benchmarks.fairplay` runs it at length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ratings.statistics.fairplay.pairs import Suspicion
from ratings.statistics.official.results import Floats, Ints, Results
from tests.support.simulations.fields import Field, drawn_tables, play

BOTS = 12
COLLUDERS = 4


def support(seats: Ints) -> Floats:
    """Every colluder gains 0.8 (139 Elo) for each partner at the table."""
    inside = seats < COLLUDERS
    partners = inside.sum(axis=1, keepdims=True) - 1
    return np.where(inside, 0.8 * partners, 0.0)


def kingmaking(seats: Ints) -> Floats:
    """The first of the colluders at the table gains 0.6 (104 Elo) if others are there, and these lose as much."""
    inside = seats < COLLUDERS
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    has_partner = inside.sum(axis=1, keepdims=True) > 1
    return np.where(inside & has_partner, np.where(seats == first, 0.6, -0.6), 0.0)


def throwing(seats: Ints) -> Floats:
    """A colluder that meets a colluder of lower number plays 1.2 (208 Elo) weaker."""
    inside = seats < COLLUDERS
    first = np.where(inside, seats, BOTS).min(axis=1, keepdims=True)
    return np.where(inside & (seats != first), -1.2, 0.0)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field."""

    name: str
    seats: int
    blocks: int
    bonus: Callable[[Ints], Floats] | None
    luck: float = 0.0


HONEST = (
    Kind("2 seats", 2, 3300, None),
    Kind("3 seats", 3, 1500, None),
    Kind("4 seats", 4, 1000, None),
    Kind("4 seats, luck of the block", 4, 1000, None, luck=0.5),
)
DISHONEST = (
    Kind("2 seats, throwing matches", 2, 3300, throwing),
    Kind("3 seats, support", 3, 2500, support),
    Kind("4 seats, support", 4, 1000, support),
    Kind("4 seats, kingmaking", 4, 1250, kingmaking),
)


def played(kind: Kind, seed: int) -> Results:
    """A field of this kind."""
    random = np.random.default_rng(seed)
    field = Field(
        random.normal(0, 0.6, BOTS), np.linspace(0.2, -0.2, kind.seats), -1.0 - np.arange(kind.seats - 1.0), kind.luck
    )
    return play(field, drawn_tables(random, BOTS, kind.seats, kind.blocks), random, kind.bonus)


def is_true(pair: Suspicion) -> bool:
    """Whether both are colluders."""
    return all(int(version.removeprefix("bot")) < COLLUDERS for version in (pair.first, pair.second))
