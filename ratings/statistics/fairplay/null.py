"""How far the answers of an honest field like this one lie apart: an empirical null for each kind of question. No I/O.

Bots of different styles differ from the official model in many pairs, none of which made a deal. So the answers to all
questions of a kind tell what is usual here (Efron 2004, "Large-scale simultaneous hypothesis testing: the choice of a
null hypothesis"): centre and spread of the null are the median and the distance of the quartiles, which at most a tenth
of unusual pairs can hardly move. It is only ever wider than chance alone, never narrower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

_QUARTILES = 2 * NormalDist().inv_cdf(0.75)
"""The distance of the quartiles of a standard normal distribution, in standard deviations."""


@dataclass(frozen=True, slots=True)
class Null:
    """The normal distribution of an honest pair's answer, in the standard deviations that chance alone would give."""

    centre: float = 0.0
    spread: float = 1.0

    def judge(self, z: float) -> float:
        """Return how far an answer lies above what is usual, in standard deviations of what is usual."""
        return (z - self.centre) / self.spread

    def least(self, z: float) -> float:
        """Return the answer that lies `z` standard deviations of what is usual above it."""
        return self.centre + z * self.spread


def empirical_null(answers: Sequence[float]) -> Null:
    """Return the null that the answers of one kind show, at least as wide and as far up as chance alone."""
    if len(answers) < 2:
        return Null()
    low, middle, high = np.percentile(np.asarray(answers), [25, 50, 75])
    return Null(max(0.0, float(middle)), max(1.0, float(high - low) / _QUARTILES))
