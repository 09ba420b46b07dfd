"""How far apart the answers of an honest field lie, and how large a deal must be to be found in it. No I/O.

Bots of different styles differ from the official model in many pairs, none of which made a deal. So what is usual is
not chance alone. It is a hierarchical model: the true gains of honest pairs are normal around 0, with a deviation that
the answers of all other pairs show, and every answer adds its own noise. `null_of` returns what is known of that
deviation: its likelihood, over a fixed grid, with a flat prior (Gelman 2006, "Prior distributions for variance
parameters in hierarchical models"). A chance is the mean over it, so that a field of few pairs, which hardly tells how
far it spreads, accuses nobody.

The few bots that stand out from such a field may still be honest: one that copes badly with one other differs in one
pair only. Nothing in the results tells it from one that loses on purpose. So no pair is reported for a gain that styles
often bring, `allowed`, however sure it is.

`reach_of` computes the smallest gain that is found in POWER of all cases, from the same null and the same allowance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, sqrt
from statistics import NormalDist

import numpy as np

from ratings.statistics.fairplay_questions import FairPlayFit, PairQuestion, PairQuestionKind, possible
from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Floats
from ratings.values.statistics import FairPlayAsked

POWER = 0.87
"""How surely a deal must be found to count as one that could have been seen: a little more than four of five cases,
which is what is promised, since some of what follows are approximations."""
SURE = 0.05
"""With what chance, at most, a style as strong as allowed is reported."""
_STYLE = 100 / ELO_PER_UNIT
"""By how much a bot may gain or lose by its style against, or beside, one other."""
_DEVIATIONS = (0.0, *(0.02 * 1.25**step for step in range(24)))
"""0 to 590 Elo; the probable ones are then looked at more closely."""
_POINTS = 20
_NEGLIGIBLE = 1e-9
_LARGEST = 1200 / ELO_PER_UNIT
_HALVINGS = 14
"""So often 1200 Elo are halved, which leaves less than 0.1."""
_MOST_SOLVED = 40
"""From so many questions of a kind the least gain is found."""
_NORMAL = NormalDist()
_SURE_Z = _NORMAL.inv_cdf(1 - SURE)


def allowed(kind: PairQuestionKind, seats: int) -> float:
    """Return the gain in log worth that styles may bring a pair.

    At two seats what one gains the other loses, so that the styles of both add up. Two that do better together are
    measured by the mean of what both gain, and styles rarely bring both a gain.
    """
    if seats == 2:
        return 2 * _STYLE
    return _STYLE if kind is PairQuestionKind.HELPS else _STYLE / 2


@dataclass(frozen=True, slots=True)
class Null:
    """What is known of the deviation of honest pairs' true gains: possible ones, in log worth, and their weights."""

    deviations: tuple[float, ...] = (0.0,)
    weights: tuple[float, ...] = (1.0,)

    def chance(self, gain: float, variance: float) -> float:
        """Return the probability that an honest pair, whose answer has this variance, shows at least this gain."""
        return sum(
            weight * _NORMAL.cdf(-gain / sqrt(variance + deviation**2))
            for deviation, weight in zip(self.deviations, self.weights, strict=True)
        )

    @property
    def variance(self) -> float:
        """Return the mean variance of honest pairs' true gains."""
        return sum(weight * one**2 for one, weight in zip(self.deviations, self.weights, strict=True))


def answers(asked: Sequence[PairQuestion], look: FairPlayFit) -> tuple[Floats, Floats]:
    """Return the gain that each answer shows, in log worth, and the variance of its noise.

    An estimate by the score at 0 is less than the gain where the helped soon win every match, so that it is put right.
    The variance is such that both are as many standard deviations from 0.
    """
    found = np.array([one.gain for one in asked])
    gains = _Curve.of(asked, look).gain(found)
    # Near 0 both are the same, and nothing may be divided by 0.
    stretch = np.divide(gains, found, out=np.ones(len(found)), where=np.abs(found) > 1e-6)
    return gains, np.array([look.variance_of(one) for one in asked]) * stretch**2


def null_of(kind: PairQuestionKind, look: FairPlayFit) -> Null:
    """Return what the answers to all questions of a kind show of the deviation of honest pairs."""
    mine = [one for one in look.asked if one.kind is kind]
    if not mine:
        return Null()
    return deviation_of(*answers(mine, look), _independent(kind, len(look.counts.versions)))


def _independent(kind: PairQuestionKind, versions: int) -> float:
    """Return how much one answer counts among all: the strengths follow some of them, and helping has two sides."""
    if kind is PairQuestionKind.HELPS:
        return max(0.0, (versions - 2) / (2 * versions))
    return max(0.0, (versions - 3) / (versions - 1))


def deviation_of(gains: Floats, variances: Floats, weight: float = 1.0) -> Null:
    """Return what gains, each with the variance of its noise, show; each counts as `weight` independent ones."""
    coarse = _probable(_DEVIATIONS, gains, variances, weight)
    places = [_DEVIATIONS.index(one) for one in coarse.deviations]
    low, high = _DEVIATIONS[max(0, places[0] - 1)], _DEVIATIONS[min(len(_DEVIATIONS) - 1, places[-1] + 1)]
    return _probable(np.linspace(low, high, _POINTS).tolist(), gains, variances, weight)


def _probable(deviations: Sequence[float], gains: Floats, variances: Floats, weight: float) -> Null:
    """Return how probable each of these deviations, which ascend, is, less those whose probability is negligible."""
    heights = [
        -0.5 * weight * float((np.log(variances + one**2) + gains**2 / (variances + one**2)).sum())
        for one in deviations
    ]
    ends = [deviations[0], *deviations, deviations[-1]]
    widths = [after - before for before, after in zip(ends[:-2], ends[2:], strict=True)]
    shares = [exp(height - max(heights)) * width for height, width in zip(heights, widths, strict=True)]
    kept = [place for place, share in enumerate(shares) if share > _NEGLIGIBLE * sum(shares)]
    total = sum(shares[place] for place in kept)
    return Null(tuple(deviations[place] for place in kept), tuple(shares[place] / total for place in kept))


def reach_of(kind: PairQuestionKind, look: FairPlayFit, null: Null, alarm: float) -> FairPlayAsked:
    """Return what a look could have seen of one kind, given what is usual in its field."""
    mine = [one for one in look.asked if one.kind is kind]
    every = possible(kind, len(look.counts.versions))
    if not mine:
        return FairPlayAsked(kind.value, 0, every, 1.0, None)
    variances = np.array([look.variance_of(one) for one in mine])
    spread = sqrt(1 + null.variance / float(np.median(variances)))
    least = _least_gain(mine, look, null, alarm / len(look.asked))
    return FairPlayAsked(kind.value, len(mine), every, spread, None if least is None else ELO_PER_UNIT * least)


def _least_gain(asked: Sequence[PairQuestion], look: FairPlayFit, null: Null, level: float) -> float | None:
    """Return the gain that is found with the probability POWER, in the mean of the questions."""
    asked = asked[:: ceil(len(asked) / _MOST_SOLVED)]
    variances = np.array([look.variance_of(one) for one in asked])
    own = np.array([one.information / one.alone for one in asked])
    curve = _Curve.of(asked, look)

    def noise(gain: float) -> Floats:
        return np.asarray(np.sqrt(variances * (1 - own + own * curve.slope(gain))))

    kind = asked[0].kind
    styles, shared = allowed(kind, look.fitted.shape.seats), np.zeros(len(asked))
    if kind is PairQuestionKind.HELPS and look.fitted.shape.seats > 2:
        # What the helped gain is told from what who helps loses, which takes a part of the information.
        shared = np.array([look.seen.mixed[one.first, one.second] ** 2 for one in asked])
        shared /= np.array([one.alone * look.seen.information[one.second, one.first] for one in asked])
    doubt = 1 / np.sqrt(1 - shared)
    usual, sure = curve.bars(variances, null, level), curve.seen(styles) + _SURE_Z * doubt * noise(styles)

    def power(gain: float) -> float:
        # The style of such a pair may work for the deal or against it.
        seen, style = curve.seen(gain), null.variance * curve.slope(gain) ** 2
        surest = np.minimum(
            (seen - usual) / np.sqrt(noise(gain) ** 2 + style),
            (seen - sure) / np.sqrt((doubt * noise(gain)) ** 2 + style),
        )
        return float(np.mean([_NORMAL.cdf(z) for z in surest.tolist()]))

    if power(_LARGEST) < POWER:
        return None
    low, high = 0.0, _LARGEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """What a gain shows in the score of a question: less than itself where the helped soon win every match.

    `margins` has how much stronger than the others at the table they are without help, shape (questions, helped).
    `tie` is delta of a tie of two, 0 without ties. At larger tables it is an approximation by matches of two.
    """

    margins: Floats
    tie: float

    @classmethod
    def of(cls, asked: Sequence[PairQuestion], look: FairPlayFit) -> _Curve:
        """Return the curves of these questions."""
        shape, strengths = look.fitted.shape, look.fitted.point[: look.fitted.shape.versions]
        middle = float(strengths.mean())
        firsts, seconds = (strengths[[getattr(one, name) for one in asked]] for name in ("first", "second"))
        rest = (shape.seats - 2) * middle
        helped = [seconds - (firsts + rest) / (shape.seats - 1)]
        if asked[0].kind is PairQuestionKind.TOGETHER:
            helped = [one - middle for one in (firsts, seconds)]
        tie = exp(float(look.fitted.point[shape.first_tie])) if shape.ties > 1 else 0.0
        return cls(np.stack(helped, axis=1), tie)

    def _score(self, margins: Floats) -> Floats:
        # Of a match of two by Davidson's model: 1 for a win, a half for a tie.
        won, lost = np.exp(margins / 2), np.exp(-margins / 2)
        return np.asarray((won + self.tie / 2) / (won + self.tie + lost))

    def _slope(self, margins: Floats) -> Floats:
        step = 1e-4
        return (self._score(margins + step) - self._score(margins - step)) / (2 * step)

    def seen(self, gain: Floats | float) -> Floats:
        """Return the estimate by the score at 0 if this is the true gain, of shape (questions,)."""
        shown = self._score(self.margins + np.reshape(gain, (-1, 1))) - self._score(self.margins)
        return np.asarray(shown.sum(axis=1) / self._slope(self.margins).sum(axis=1))

    def slope(self, gain: float) -> Floats:
        """Return the information at a gain, as part of that at 0, of shape (questions,)."""
        return np.asarray(self._slope(self.margins + gain).sum(axis=1) / self._slope(self.margins).sum(axis=1))

    def gain(self, seen: Floats) -> Floats:
        """Return the true gain of each question whose score at 0 shows this one."""
        low, high = np.full(len(seen), -_LARGEST), np.full(len(seen), _LARGEST)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_more = self.seen(middle) < seen
            low, high = np.where(is_more, middle, low), np.where(is_more, high, middle)
        return np.asarray((low + high) / 2)

    def bars(self, variances: Floats, null: Null, level: float) -> Floats:
        """Return the estimates by the score at 0 whose chance is `level`, of shape (questions,)."""
        low, high = np.zeros(len(variances)), np.full(len(variances), _LARGEST)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            stretched = variances * (middle / self.seen(middle)) ** 2
            chances = map(null.chance, middle.tolist(), stretched.tolist())
            is_more = np.array([chance > level for chance in chances])
            low, high = np.where(is_more, middle, low), np.where(is_more, high, middle)
        return self.seen(high)
