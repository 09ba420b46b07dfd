"""Climbs to better weights: simultaneous perturbation stochastic approximation (Spall 1992), with the mean of its path.

At each step all weights are moved at once, each by its unit up or down as coins fall, and the two sets that lie on
opposite sides of where the climb stands play some duels. The climb goes towards the better side, by its lead. The
steps grow smaller, and what counts is the mean of the later half of the path (Polyak and Juditsky 1992), in which the
chance of single duels has been averaged out. Plain arithmetic on NumPy; the playing is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
DUELS = 4
"""How many duels decide on one step."""
PACE = 0.3
"""How far the first step goes, in units, if one side wins everything."""
SLOWING = 300
"""After so many steps they are half as long."""
UNIT = 0.25
"""How far a weight is moved to see what it does, in parts of what it began with."""
LEAST_UNIT = 0.1
"""How far one is moved that began with nothing."""


@dataclass(frozen=True, slots=True)
class ClimbStep:
    """What was played at one step of a climb."""

    number: int
    """From 0."""
    lead: float
    """Of the one side over the other, -1 to 1."""


def units_of(began_with: Sequence[float]) -> Vector:
    """Return by how much each weight is moved, in its own measure: shape (weights,)."""
    sizes = UNIT * np.abs(np.asarray(began_with, dtype=np.float64))
    return np.where(sizes > 0, sizes, LEAST_UNIT)


def climb(
    began_with: Sequence[float],
    steps: int,
    seed: int,
    lead_of: Callable[[int, Vector, Vector], float],
    tell: Callable[[ClimbStep], None],
) -> Vector:
    """Return the weights found after so many steps, shape (weights,); equal arguments and leads give equal weights.

    `lead_of(step, one side, other side)` plays the duels of a step and returns the lead of the one side, -1 to 1.
    """
    random = np.random.default_rng(seed)
    units = units_of(began_with)
    here = np.asarray(began_with, dtype=np.float64) / units
    total, counted = np.zeros_like(here), 0
    for number in range(steps):
        coins = random.choice([-1.0, 1.0], size=here.shape)
        lead = lead_of(number, (here + coins) * units, (here - coins) * units)
        here = here + PACE / (1 + number / SLOWING) * lead * coins
        if number >= steps // 2:
            total, counted = total + here, counted + 1
        tell(ClimbStep(number, lead))
    return (total / counted if counted else here) * units
