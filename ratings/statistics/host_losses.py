"""Finds the bot whose matches a host loses: one that sits in nearly all of them, more often than by chance. Pure.

Nobody is blamed by it: that the matches of one bot are lost is a reason to look at that bot, and says who it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from math import exp, lgamma
from typing import TypeVar

LEAST_MATCHES = 3
"""So many different matches must have been lost with a bot before it is named."""
NEARLY_ALL = 0.9
"""A bot is named that sat in this part of the lost matches at least."""
MOST_CHANCE = 0.01
"""In so few of all tournaments any bot at all may be named for matches that were lost whoever sat in them."""

_Entrant = TypeVar("_Entrant", bound=Hashable)


def suspect(lost: Sequence[Collection[_Entrant]], sat: Mapping[_Entrant, int], tried: int) -> _Entrant | None:
    """Return the entrant that the lost matches have in common, or `None` if there is none or chance may explain it.

    Each of `lost` holds the entrants of one match, and `sat` tells in how many of all matches that were `tried`, these
    included, each entrant sat.
    """
    counts = Counter(one for match in lost for one in set(match))
    # Of those who sat in equally many, the one that seldom sits anywhere else.
    entrant, count = max(counts.items(), key=lambda found: (found[1], -sat[found[0]]), default=(None, 0))
    if entrant is None or count < LEAST_MATCHES or count < NEARLY_ALL * len(lost):
        return None
    # Any of the entrants could have been the one that met with so much bad luck.
    chance = len(sat) * chance_of(count, len(lost), sat[entrant], tried)
    return entrant if chance < MOST_CHANCE else None


def chance_of(least: int, lost: int, sat: int, tried: int) -> float:
    """Return how likely at least `least` of `lost` matches are among the `sat` of one entrant, of `tried` altogether.

    It is the chance for as many matches, drawn blindly.
    """
    possible = range(max(least, lost + sat - tried, 0), min(lost, sat) + 1)
    return min(1.0, sum(exp(_ways(sat, met) + _ways(tried - sat, lost - met) - _ways(tried, lost)) for met in possible))


def _ways(of: int, drawn: int) -> float:
    """Return the logarithm of the number of ways to draw so many."""
    return lgamma(of + 1) - lgamma(drawn + 1) - lgamma(of - drawn + 1)
