"""Finds pairs of versions that do better at common tables than the model and the styles of the field allow. No I/O.

`fair_play` judges the answers to the questions of `fairplay_questions`. A pair is reported if its answer is beyond both
of two bounds, which `fairplay_null` explains:

- What is usual in this field: chance, and the styles that its other pairs show. The variance of chance is the greater
  of two: the model's, times the dispersion of the field's blocks, and the one seen from block to block. Bonferroni's
  bound over all questions keeps the chance of any alarm in an honest field below `alarm`.
- What a style may bring one pair alone, by a score test of the gain `allowed`, against the strengths that the matches
  without this pair show. Bonferroni's bound is over those that are beyond the first.

Colluders make honest bots look suspicious too: two of these do better where no colluders sit. And several deals in one
field look like styles. So the strongest pair is set aside, the matches in which it sits together are left out, and the
rest is fitted anew, until no pair goes beyond chance or a tenth of all pairs is aside. The last of those aside that is
unusual for the field without it, and those before it, stand out together (Rosner 1983, "Percentage points for a
generalized ESD many-outlier procedure"). Where more than a tenth differ, some of them are left, and show what is usual.
An alarm is a reason to look at matches, not a proof.

`comes_back` tells a circle of styles from a deal. Scissors gain from paper, paper from stone, stone from scissors: what
the first gives comes back to it in the end, so that nobody stands higher than without the circle. A deal that nobody
gains by is none. What a deal moves stays where it was brought, and where both of a pair gain, others at the table pay.

`more_matches` tells how many matches a look lacks for its questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, inf
from statistics import NormalDist, median
from typing import TypeAlias

import numpy as np

from ratings.statistics.algebra import product
from ratings.statistics.covariance import block_scores, row_scores
from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay_null import SURE, Null, allowed, answers, null_of, reach_of
from ratings.statistics.fairplay_questions import (
    LEAST_INFORMATION,
    FairPlayFit,
    PairFlow,
    PairQuestion,
    PairQuestionKind,
    flows,
    gain_at,
    kinds_of,
    look_at,
    possible,
)
from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Floats, Results
from ratings.values.statistics import FairPlayAsked, Suspicion

_Usual: TypeAlias = Mapping[PairQuestionKind, Null]
"""What is usual in a field, by kind of question."""
ALARM = 0.005
_MOST_ASIDE = 60
_FEW_ASIDE = 10
_UNUSUAL = 0.1
"""The greatest share of pairs that may be no part of the usual."""
_BOTH_GAIN = 3.0
"""From how many standard deviations on both of a pair are taken to gain."""
_STRAY = 0.35
"""How many flows that are only chance a version may have on average, so that these do not close circles."""
_SHARE = 1 / 3
"""Which part of a flow must come back: the flows of a circle are not all alike, and neither are their estimates."""


@dataclass(frozen=True, slots=True)
class FairPlayReport:
    """What was asked of a field, and what was found: usually no `suspicions`, which come in the order of the search.

    `styles` counts the pairs that differ from the model by more than chance, but by no more than styles may bring;
    `circles` those whose gain goes round in a circle. `asked` has one entry for each kind of question.
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
class _Answer:
    """What the matches say of one question about a pair that stood out.

    `gain` and `variance` are those of its answer, `doubt` is how much greater than by the model its variance is;
    `excess` is by how many standard deviations it is beyond what styles may bring.
    """

    suspicion: Suspicion
    questions: int
    gain: float
    variance: float
    doubt: float
    excess: float = -inf

    def judged(self, usual: _Usual) -> _Answer:
        """Return the same in a field where this is usual."""
        chance = usual[PairQuestionKind(self.suspicion.kind)].chance(self.gain, self.variance)
        z = -NormalDist().inv_cdf(min(max(chance, 1e-300), 1 - 1e-16))
        return replace(self, suspicion=replace(self.suspicion, z=z, chance=min(1.0, self.questions * chance)))


@dataclass(frozen=True, slots=True)
class _Aside:
    """A pair that stood out: the answers to all questions about it, and what the field shows without it."""

    answers: tuple[_Answer, ...]
    usual: _Usual

    def judged(self, usual: _Usual, alarm: float) -> _Aside:
        """Return the answers beyond what is usual, the least probable first."""
        judged = [one.judged(usual) for one in self.answers]
        beyond = [one for one in judged if one.suspicion.chance <= alarm]
        return replace(self, answers=tuple(sorted(beyond, key=lambda one: -one.suspicion.z)))


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
    aside = _set_aside(results, first, alarm)
    usual, far = _standing_out(aside, _nulls(first), alarm)
    named = _not_in_circles(far, first) if far else ()
    beyond = sum(one.answers[0].suspicion.chance <= alarm for one in aside)
    return FairPlayReport(
        seats=results.seats.shape[1],
        versions=len(first.counts.versions),
        matches=first.counts.matches,
        suspicions=named,
        styles=max(0, beyond - len(far)),
        circles=len(far) - len(named),
        asked=tuple(reach_of(kind, first, usual[kind], alarm) for kind in usual),
        more_matches=more_matches(first),
    )


def _nulls(look: FairPlayFit) -> _Usual:
    return {kind: null_of(kind, look) for kind in kinds_of(look.fitted.shape.seats)}


def _standing_out(aside: list[_Aside], usual: _Usual, alarm: float) -> tuple[_Usual, tuple[Suspicion, ...]]:
    """Return what is usual in the field without those that stand out, and which of these styles do not explain."""
    for last in range(len(aside), 0, -1):
        here = aside[last - 1].usual
        if aside[last - 1].judged(here, alarm).answers:
            unusual = [beyond for one in aside[:last] if (beyond := one.judged(here, alarm).answers)]
            sure = NormalDist().inv_cdf(1 - SURE / len(unusual))
            firm = [[one.suspicion for one in answers if one.excess >= sure] for answers in unusual]
            return here, tuple(found[0] for found in firm if found)
    return usual, ()


def _not_in_circles(far: tuple[Suspicion, ...], look: FairPlayFit) -> tuple[Suspicion, ...]:
    """Return those that are no part of a circle of styles; where both gain, there is none."""
    names, moved = look.counts.versions, beyond_usual(flows(look))
    gains = {
        frozenset((names[one.first], names[one.second]))
        for one in look.asked
        if one.kind is PairQuestionKind.TOGETHER and look.z_of(one) >= _BOTH_GAIN
    }
    return tuple(
        one
        for one in far
        if one.kind == PairQuestionKind.TOGETHER
        or frozenset((one.first, one.second)) in gains
        or not comes_back(moved, one.first, one.second)
    )


def _set_aside(results: Results, look: FairPlayFit, alarm: float) -> list[_Aside]:
    """Return the pairs that stand out most, each seen without those before it.

    There are none if none goes beyond chance. Where one does it may be of several, and those that do not stand out yet
    would blur what is usual, so that the next few go aside as well.
    """
    aside: list[_Aside] = []
    versions = len(look.counts.versions)
    most = min(_MOST_ASIDE, ceil(_UNUSUAL * versions * (versions - 1) / 2))
    while len(aside) < most:
        scores = row_scores(look.counts, look.fitted.shape, look.fitted.point)
        likely = sorted(look.asked, key=lambda one: -look.z_of(one))[:8]
        if not likely:
            break
        strongest = min(likely, key=lambda one: -_answer(one, look, scores).suspicion.z)
        pair = {strongest.first, strongest.second}
        found = [_answer(one, look, scores) for one in look.asked if {one.first, one.second} == pair]
        found.sort(key=lambda one: -one.suspicion.z)
        if found[0].suspicion.chance > alarm and not 0 < len(aside) < _FEW_ASIDE:
            break
        places = [results.versions.index(look.counts.versions[one]) for one in pair]
        together = np.logical_and(*((results.seats == place).any(axis=1) for place in places))
        common, results = results.where(together), results.where(~together)
        if not len(results.seats):
            break
        look = look_at(results)
        usual = _nulls(look)
        aside.append(_Aside(tuple(_beyond_styles(one, look, usual, common) for one in found), usual))
    return aside


def _beyond_styles(one: _Answer, look: FairPlayFit, usual: _Usual, common: Results) -> _Answer:
    """Return by how much a pair is beyond what styles may bring, by the strengths of a look without it.

    These give a better estimate of the gain too. Styles of others make them less certain than chance does.
    """
    kind, pair = PairQuestionKind(one.suspicion.kind), (one.suspicion.first, one.suspicion.second)
    seen = gain_at(look, common, kind, pair, allowed(kind, look.fitted.shape.seats))
    if seen is None:
        return one
    others = [look.variance_of(other) for other in look.asked if other.kind is kind]
    wider = 1 + usual[kind].variance / median(others) if others else 1.0
    excess = seen.score / ((seen.own + wider * seen.borrowed) * one.doubt) ** 0.5
    variance = one.variance * (seen.estimate / one.gain) ** 2 if one.gain else one.variance
    suspicion = replace(one.suspicion, elo=ELO_PER_UNIT * seen.estimate)
    return replace(one, excess=excess, gain=seen.estimate, variance=variance, suspicion=suspicion)


def _answer(one: PairQuestion, look: FairPlayFit, scores: Floats) -> _Answer:
    # The variance as the blocks in which both sat show it, if that is more than what the model tells.
    counts, shape = look.counts, look.fitted.shape
    sat = [(counts.seats == place).any(axis=1) for place in (one.first, one.second)]
    is_common = (sat[0] & sat[1])[counts.row_of]
    rows = counts.row_of[is_common]
    _, block = np.unique(counts.block_of[is_common], return_inverse=True)
    known = product(block_scores(counts.seats, scores, rows, block, shape), one.weights)
    helped = [one.second] if one.kind is PairQuestionKind.HELPS else [one.first, one.second]
    gains = (scores[rows, : shape.seats] * np.isin(counts.seats[rows], helped)).sum(axis=1)
    own = np.bincount(block, weights=gains, minlength=len(known)) - known
    # A gain that all blocks share is no variance.
    seen = float(((own - own.mean()) ** 2).sum()) * len(own) / max(1, len(own) - 1)
    doubt = max(1.0, seen / (one.information * look.dispersion))
    z = look.z_of(one) / doubt**0.5
    suspicion = Suspicion(
        sentence="",
        kind=one.kind.value,
        first=look.counts.versions[one.first],
        second=look.counts.versions[one.second],
        elo=ELO_PER_UNIT * one.gain,
        z=z,
        chance=min(1.0, len(look.asked) * NormalDist().cdf(-z)),
        matches=int(look.seen.matches[one.first, one.second]),
    )
    (gain,), (variance,) = answers([one], look)
    return _Answer(suspicion, len(look.asked), float(gain), float(variance) * doubt, doubt)


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


def more_matches(look: FairPlayFit) -> int | None:
    """Return about how many more matches like those there are it takes until half of all questions can be asked.

    It is 0 if they can, and `None` where no number is enough, because all sit at every table: what one does to another
    cannot be told from their strengths then. Pairs that never met are taken for pairs that will meet as often as the
    others.
    """
    versions = len(look.counts.versions)
    if versions <= look.fitted.shape.seats:
        return None
    met = [one.evidence for one in look.questions]
    if 2 * len(look.asked) >= sum(possible(kind, versions) for kind in kinds_of(look.fitted.shape.seats)):
        return 0
    typical = median(met)
    return max(1, ceil(look.counts.matches * (LEAST_INFORMATION / typical - 1))) if typical > 0 else None
