"""The table in which circles are respected: what each version scores against the mixture that none beats. No I/O.

Nash averaging, after D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation" (2018): versions are
played in shares of which no version has anything to gain, and each is measured against that mixture. In a field without
circles the mixture is the best version alone, and the others are as far below as their numbers are; where the best go
round in a circle it is they that share it, and who loses to nobody else than to them stands just below. A copy of a
version changes nothing.

What one beats another by is the difference of their strengths and as much of what the two showed beyond that as the
whole field bears out, so that luck makes no circles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.statistics.official.algebra import inner, product
from ratings.statistics.official.circles import Pairs
from ratings.statistics.official.results import Bools, Floats, Ints

_MOST_STEPS = 5_000
_LEAST_STEPS = 500
_WORK = 1_000_000_000
_FLATTEST = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """The shares of the versions, adding up to 1 in each group, and what each gains on the mixture of its group.

    `gains` are in natural-log units as strengths are: 0 for the versions in the mixture, less for others.
    """

    shares: Floats
    gains: Floats


def mixture_of(pairs: Pairs, strengths: Floats, log_tie: float | None, groups: Ints) -> Mixture:
    """Return the mixture that none beats, of each group by itself; `log_tie` is log delta(2), `None` without ties."""
    odds = pair_odds(pairs, strengths, log_tie)
    shares, gains = np.zeros(len(strengths)), np.zeros(len(strengths))
    for group in range(int(groups.max()) + 1):
        mine = np.flatnonzero(groups == group)
        game = odds[np.ix_(mine, mine)]
        shares[mine] = unbeaten(game)
        gains[mine] = product(game, shares[mine])
    return Mixture(shares, gains)


def pair_odds(pairs: Pairs, strengths: Floats, log_tie: float | None) -> Floats:
    """Return by how much each version (row) is stronger when it meets each other, in natural-log units; antisymmetric.

    What a pair showed beyond its strengths is drawn towards 0 as far as the pairs of the field vary no more than chance
    lets them: the variance between pairs is that of DerSimonian and Laird, "Meta-analysis in clinical trials" (1986).
    """
    apart = strengths[:, None] - strengths[None, :]
    expected, slope = _expected(apart, log_tie)
    times = pairs.blocks.astype(np.float64)
    met: Bools = (times > 0) & (slope > _FLATTEST)
    shown = ((times + 2) * pairs.scores - 1) / np.maximum(times, 1)
    beyond = np.where(met, (shown - expected) / np.maximum(slope, _FLATTEST), 0.0)
    variances = pairs.variances / np.maximum(slope, _FLATTEST) ** 2
    weights = np.where(met, 1 / variances, 0.0)
    upper = np.triu_indices(len(strengths), 1)
    spare = float((weights * beyond**2)[upper].sum()) - max(int(met[upper].sum()) - len(strengths) + 1, 0)
    between = max(spare, 0.0) / max(float(weights[upper].sum()), 1e-9)
    gains = np.triu(apart + beyond * between / (between + variances), 1)
    return np.asarray(gains - gains.T)


def _expected(apart: Floats, log_tie: float | None) -> tuple[Floats, Floats]:
    """Return what Davidson's model expects of matches of two, and how steeply it rises with the difference."""
    ties = 0.0 if log_tie is None else float(np.exp(log_tie))
    ahead, behind = np.exp(apart / 2), np.exp(-apart / 2)
    total = ahead + behind + ties
    return (ahead + ties / 2) / total, (2 + ties / 2 * (ahead + behind)) / (2 * total**2)


def unbeaten(game: Floats) -> Floats:
    """Return the shares against which nothing gains in an antisymmetric game, shape (versions,), adding up to 1.

    By predictive regret matching+ with linear averages (G. Farina, C. Kroer, T. Sandholm, "Faster game solving via
    predictive Blackwell approachability", 2021), from equal shares, so that equal versions keep equal shares.
    """
    size = len(game)
    regrets, last, total = np.zeros(size), np.zeros(size), np.zeros(size)
    shares = np.full(size, 1 / size)
    for step in range(1, max(_LEAST_STEPS, min(_MOST_STEPS, _WORK // size**2)) + 1):
        hoped = np.maximum(regrets + last, 0.0)
        shares = hoped / hoped.sum() if hoped.any() else shares
        gains = product(game, shares)
        last = gains - inner(gains, shares)
        regrets = np.maximum(regrets + last, 0.0)
        total += step * shares
    return np.asarray(total / total.sum())
