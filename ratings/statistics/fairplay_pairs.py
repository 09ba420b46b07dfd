"""Finds pairs of versions that do better at common tables than the model and the styles of the field allow. No I/O.

`fair_play` judges the answers to the questions of `fairplay_questions`. An answer's variance is the greater of two: the
model's, times the dispersion of the field's blocks, and the one seen from block to block. Bonferroni's bound over all
questions keeps the chance of any alarm in an honest field below `alarm`.

Colluders make honest bots look suspicious too: two of these do better where no colluders sit. So the strongest pair is
set aside, the matches in which it sits together are left out, and the rest is fitted anew, until no pair goes beyond
chance or a tenth of all pairs is aside. What is left shows how far the pairs of this field usually differ. Those aside
that lie no further out are styles, and so are those whose gain goes round in a circle. The others are reported. An
alarm is a reason to look at matches, not a proof: a bot that happens to beat one other bot raises it as well.

`empirical_null` tells how far the answers of an honest field like this one lie apart, for each kind of question. Bots
of different styles differ from the official model in many pairs, none of which made a deal. So the answers to all
questions of a kind tell what is usual here (Efron 2004, "Large-scale simultaneous hypothesis testing: the choice of a
null hypothesis"). Centre and spread of the null are the median and the distance of the quartiles, which at most a tenth
of unusual pairs can hardly move. It is only ever wider than chance alone, never narrower.

`comes_back` tells a circle of styles from a deal. Scissors gain from paper, paper from stone, stone from scissors: what
the first gives comes back to it in the end, so that nobody stands higher than without the circle. A deal that nobody
gains by is none. What a deal moves stays where it was brought, and where both of a pair gain, others at the table pay.

`reach_of` and `more_matches` tell how much a look could have seen: the questions asked, the smallest deal that would
have been found, and the matches that it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import atanh, ceil
from statistics import NormalDist, median

import numpy as np

from ratings.statistics.algebra import product
from ratings.statistics.covariance import block_scores, row_scores
from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay_questions import (
    LEAST_INFORMATION,
    FairPlayFit,
    PairFlow,
    PairQuestion,
    PairQuestionKind,
    flows,
    kinds_of,
    look_at,
)
from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Results
from ratings.values.statistics import FairPlayAsked, Suspicion

ALARM = 0.005
_MOST_ASIDE = 60
_FEW_ASIDE = 10
_UNUSUAL = 0.1
"""The greatest share of pairs that may be no part of the usual (Efron 2004 asks for no more)."""
_BOTH_GAIN = 3.0
"""From how many standard deviations on both of a pair are taken to gain."""
_STRAY = 0.35
"""How many flows that are only chance a version may have on average, so that these do not close circles."""
_SHARE = 1 / 3
"""Which part of a flow must come back: the flows of a circle are not all alike, and neither are their estimates."""
_QUARTILES = 2 * NormalDist().inv_cdf(0.75)
"""The distance of the quartiles of a standard normal distribution, in standard deviations."""
POWER = 0.8
"""How surely a deal must be found to count as one that could have been seen."""
_LARGEST = 1.95
"""A gain is measured by its score, which grows like 2 tanh(gain / 2) between two that are even, and never reaches 2."""


@dataclass(frozen=True, slots=True)
class FairPlayReport:
    """What was asked of a field, and what was found: usually no `suspicions`, which come in the order of the search.

    `styles` counts the pairs that differ from the model by more than chance, but by no more than is usual in this
    field; `circles` those whose gain goes round in a circle. `asked` has one entry for each kind of question.
    `more_matches` is about how many more, like those there are, it takes until half of the questions can be asked,
    `None` if no number is enough.
    """

    seats: int
    versions: int
    matches: int
    suspicions: tuple[Suspicion, ...]
    styles: int
    circles: int
    asked: tuple[FairPlayAsked, ...]
    more_matches: int | None


@dataclass(frozen=True, slots=True)
class _Aside:
    """A pair that stood out, as seen when it was the strongest of so many questions."""

    suspicion: Suspicion
    questions: int


def fair_play(results: Results, alarm: float = ALARM) -> FairPlayReport:
    """Return the suspicious pairs, and how much could be asked.

    `alarm` bounds the chance of finding one in an honest field. Raises ResultsError for an alarm outside (0, 1) or more
    than 250 versions.
    """
    if not 0 < alarm < 1:
        raise ResultsError(f"the chance {alarm} of a false alarm is not between 0 and 1")
    if not len(results.seats):
        nothing = tuple(FairPlayAsked(kind.value, 0, 0, 1.0, None) for kind in kinds_of(results.seats.shape[1]))
        return FairPlayReport(results.seats.shape[1], 0, 0, (), 0, 0, nothing, None)
    first = look_at(results)
    aside, last = _set_aside(results, first, alarm)
    # What is usual is seen among the pairs that were not set aside.
    nulls = {
        kind.value: empirical_null([last.z_of(one) for one in last.asked if one.kind is kind])
        for kind in PairQuestionKind
    }
    judged = []
    for one in aside:
        z = nulls[one.suspicion.kind].judge(one.suspicion.z)
        judged.append(replace(one.suspicion, z=z, chance=_chance(z, one.questions)))
    far = [one for one in judged if one.chance <= alarm]
    named: tuple[Suspicion, ...] = ()
    if far:
        names, moved = first.counts.versions, beyond_usual(flows(first))
        gains = {
            frozenset((names[one.first], names[one.second]))
            for one in first.asked
            if one.kind is PairQuestionKind.TOGETHER and first.z_of(one) >= _BOTH_GAIN
        }
        # Those that are no part of a circle of styles; where both gain, there is none.
        named = tuple(
            one
            for one in far
            if one.kind == PairQuestionKind.TOGETHER
            or frozenset((one.first, one.second)) in gains
            or not comes_back(moved, one.first, one.second)
        )
    beyond = sum(one.suspicion.chance <= alarm for one in aside)
    return FairPlayReport(
        seats=results.seats.shape[1],
        versions=len(first.counts.versions),
        matches=first.counts.matches,
        suspicions=named,
        styles=beyond - len(far),
        circles=len(far) - len(named),
        asked=tuple(reach_of(kind, first, nulls[kind], alarm) for kind in kinds_of(results.seats.shape[1])),
        more_matches=more_matches(first),
    )


def _set_aside(results: Results, look: FairPlayFit, alarm: float) -> tuple[list[_Aside], FairPlayFit]:
    """Return the pairs that stand out most, each seen without those before it, and the look at what is left.

    There are none if none goes beyond chance. Where one does it may be of several, and those that do not stand out yet
    would blur what is usual, so that the next few go aside as well.
    """
    aside: list[_Aside] = []
    versions = len(look.counts.versions)
    most = min(_MOST_ASIDE, ceil(_UNUSUAL * versions * (versions - 1) / 2))
    while len(aside) < most:
        likely = sorted(look.asked, key=lambda one: -look.z_of(one))[:8]
        judged = [_suspicion(one, look, len(look.asked)) for one in likely]
        if not judged:
            break
        strongest = min(judged, key=lambda one: -one.z)
        if strongest.chance > alarm and not 0 < len(aside) < _FEW_ASIDE:
            break
        aside.append(_Aside(strongest, len(look.asked)))
        places = [results.versions.index(version) for version in (strongest.first, strongest.second)]
        together = np.logical_and(*((results.seats == place).any(axis=1) for place in places))
        results = results.where(~together)
        if not len(results.seats):
            break
        look = look_at(results)
    return aside, look


def _suspicion(one: PairQuestion, look: FairPlayFit, questions: int) -> Suspicion:
    # The variance as the blocks in which both sat show it, if that is more than what the model tells.
    counts, shape = look.counts, look.fitted.shape
    sat = [(counts.seats == place).any(axis=1) for place in (one.first, one.second)]
    is_common = (sat[0] & sat[1])[counts.row_of]
    rows = counts.row_of[is_common]
    scores = row_scores(counts, shape, look.fitted.point)
    _, block = np.unique(counts.block_of[is_common], return_inverse=True)
    known = product(block_scores(counts.seats, scores, rows, block, shape), one.weights)
    helped = [one.second] if one.kind is PairQuestionKind.HELPS else [one.first, one.second]
    gains = (scores[rows, : shape.seats] * np.isin(counts.seats[rows], helped)).sum(axis=1)
    own = np.bincount(block, weights=gains, minlength=len(known)) - known
    variance = max(one.information * look.dispersion, float((own**2).sum()))
    z = one.score / variance**0.5
    return Suspicion(
        sentence="",
        kind=one.kind.value,
        first=look.counts.versions[one.first],
        second=look.counts.versions[one.second],
        elo=one.elo,
        z=z,
        chance=_chance(z, questions),
        matches=int(look.seen.matches[one.first, one.second]),
    )


def _chance(z: float, questions: int) -> float:
    return min(1.0, questions * NormalDist().cdf(-z))


def beyond_usual(flows: Mapping[tuple[str, str], PairFlow]) -> dict[tuple[str, str], PairFlow]:
    """Return the flows beyond the median one of each version.

    To whom a deal brought strength, more than that flows back to nobody; but as the model takes the gain for strength,
    a little of it seems to flow to all others, and that is the median.
    """
    own: dict[str, list[float]] = {}
    for (giver, _), flow in flows.items():
        own.setdefault(giver, []).append(flow.elo)
    usual = {version: median(elos) for version, elos in own.items()}
    return {(giver, taker): _less(flow, usual[giver] - usual[taker]) for (giver, taker), flow in flows.items()}


def _less(flow: PairFlow, elo: float) -> PairFlow:
    """Return a flow less some Elo; its standard deviation stays what it is."""
    return PairFlow(flow.elo - elo, flow.z * (flow.elo - elo) / flow.elo) if flow.elo else flow


def comes_back(flows: Mapping[tuple[str, str], PairFlow], first: str, second: str) -> bool:
    """Return whether at least a third of what goes from `first` to `second` goes on from there and back to `first`.

    It may go over any number of others; every flow on its way must be as large as that, and more than chance.
    """
    start = flows.get((first, second))
    if start is None or start.elo <= 0:
        return False
    least = _SHARE * start.elo
    versions = {version for pair in flows for version in pair}
    sure = NormalDist().inv_cdf(1 - _STRAY / len(versions))
    ways: dict[str, list[str]] = {}
    for (giver, taker), flow in flows.items():
        if flow.elo >= least and flow.z >= sure:
            ways.setdefault(giver, []).append(taker)
    reached, new = {second}, [second]
    while new:
        new = list(dict.fromkeys(to for place in new for to in ways.get(place, ()) if to not in reached))
        reached.update(new)
    return first in reached


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


def reach_of(kind: PairQuestionKind, look: FairPlayFit, null: Null, alarm: float) -> FairPlayAsked:
    """Return what a look could have seen of one kind, given what is usual in its field."""
    mine = [one for one in look.asked if one.kind is kind]
    least_elo = _least_elo(mine, look, null, alarm / len(look.asked)) if mine else None
    return FairPlayAsked(kind.value, len(mine), _possible(kind, look), null.spread, least_elo)


def _possible(kind: PairQuestionKind, look: FairPlayFit) -> int:
    versions = len(look.counts.versions)
    return versions * (versions - 1) // (2 if kind is PairQuestionKind.TOGETHER else 1)


def _least_elo(asked: list[PairQuestion], look: FairPlayFit, null: Null, level: float) -> float | None:
    """Return the gain whose answer lies above the level with the probability POWER, in the median of the questions."""
    normal = NormalDist()
    least = null.least(normal.inv_cdf(1 - level) + normal.inv_cdf(POWER))
    gain = median(least * (look.dispersion / one.information) ** 0.5 for one in asked)
    return ELO_PER_UNIT * 2 * atanh(gain / 2) if gain < _LARGEST else None


def more_matches(look: FairPlayFit) -> int | None:
    """Return about how many more matches like those there are it takes until half of all questions can be asked.

    It is 0 if they can, and `None` where no number is enough, because all sit at every table: what one does to another
    cannot be told from their strengths then. Pairs that never met are taken for pairs that will meet as often as the
    others.
    """
    if len(look.counts.versions) <= look.fitted.shape.seats:
        return None
    met = [one.evidence for one in look.questions]
    if 2 * len(look.asked) >= sum(_possible(kind, look) for kind in kinds_of(look.fitted.shape.seats)):
        return 0
    typical = median(met)
    return max(1, ceil(look.counts.matches * (LEAST_INFORMATION / typical - 1))) if typical > 0 else None
