"""What does not change from match to match: TrueSkill's constants as its messages need them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ratings.statistics.message_passing.truncation import draw_margin

MOST_SWEEPS = 10
"""How often messages are passed back and forth at most until they have converged."""
CONVERGED = 0.0001
"""By how much they may still change when they have converged."""


class Constants(NamedTuple):
    """The constants of one pool."""

    beta_squared: float
    tau_squared: float
    margin: float
    """How near two performances must be for a tie."""


@lru_cache(maxsize=64)
def constants_of(beta: float, tau: float, draw_probability: float) -> Constants:
    """Return what follows from TrueSkill's own constants; it is the same for all matches. Raises ArithmeticError."""
    return Constants(beta**2, tau**2, draw_margin(draw_probability, beta))
