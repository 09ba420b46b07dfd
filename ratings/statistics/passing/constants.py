"""What does not change from match to match: TrueSkill's constants as its messages need them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ratings.statistics.passing.truncation import tie_margin

ROUNDS = 10
"""How often messages are passed at most until they stand."""
STANDS = 0.0001
"""By how much they may still change when they stand."""


class Constants(NamedTuple):
    """The constants of one pool."""

    beta_squared: float
    tau_squared: float
    margin: float
    """How near two performances must be for a tie."""


@lru_cache(maxsize=64)
def constants_of(beta: float, tau: float, draw_probability: float) -> Constants:
    """Return what follows from TrueSkill's own constants; it is the same for all matches. Raises ArithmeticError."""
    return Constants(beta**2, tau**2, tie_margin(draw_probability, beta))
