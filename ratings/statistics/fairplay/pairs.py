"""Finds pairs of versions that do better at common tables than the model and the styles of the field allow. No I/O.

An answer's variance is the greater of two: the model's, times the dispersion of the field's blocks, and the one seen
from block to block. Bonferroni's bound over all questions keeps the chance of any alarm in an honest field below
`alarm`.

Colluders make honest bots look suspicious too: two of these do better where no colluders sit. So the strongest pair is
set aside, the matches in which it sits together are left out, the rest is fitted anew, until no pair goes beyond chance
or a tenth of all pairs is aside. What is left shows how far the pairs of this field usually differ
(`ratings.statistics.fairplay.null`); those aside that lie no further out are styles, and so are those whose gain goes
round in a circle (`ratings.statistics.fairplay.circles`). The others are reported. An alarm is a reason to look at
matches, not a proof: a bot that happens to beat one other bot raises it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import NormalDist

import numpy as np

from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay.circles import beyond_usual, comes_back
from ratings.statistics.fairplay.null import Null, empirical_null
from ratings.statistics.fairplay.power import more_matches, reach_of
from ratings.statistics.fairplay.questions import FairPlayFit, PairQuestion, PairQuestionKind, flows, kinds_of, look_at
from ratings.statistics.official.algebra import product
from ratings.statistics.official.covariance import block_scores, row_scores
from ratings.statistics.official.results import Bools, Results
from ratings.values.statistics import FairPlayAsked, Suspicion

ALARM = 0.005
_MOST_ASIDE = 60
_FEW_ASIDE = 10
_UNUSUAL = 0.1
"""The greatest share of pairs that may be no part of the usual (Efron 2004 asks for no more)."""
_BOTH_GAIN = 3.0
"""From how many standard deviations on both of a pair are taken to gain."""


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
    nulls = {kind.value: _null(kind, last) for kind in PairQuestionKind}
    judged = [_judge(one, nulls[one.suspicion.kind]) for one in aside]
    far = [one for one in judged if one.chance <= alarm]
    named = _without_circles(far, first) if far else ()
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
        strongest = _strongest(look)
        if strongest is None or (strongest.suspicion.chance > alarm and not 0 < len(aside) < _FEW_ASIDE):
            break
        aside.append(strongest)
        results = results.where(~_together(results, strongest.suspicion))
        if not len(results.seats):
            break
        look = look_at(results)
    return aside, look


def _together(results: Results, pair: Suspicion) -> Bools:
    places = [results.versions.index(version) for version in (pair.first, pair.second)]
    return np.asarray(np.logical_and(*((results.seats == place).any(axis=1) for place in places)))


def _strongest(look: FairPlayFit) -> _Aside | None:
    """Return the pair with the least chance, given the greater of the two variances."""
    asked = look.asked
    likely = sorted(asked, key=lambda one: -look.z_of(one))[:8]
    judged = [_suspicion(one, look, len(asked)) for one in likely]
    if not judged:
        return None
    return _Aside(min(judged, key=lambda one: -one.z), len(asked))


def _suspicion(one: PairQuestion, look: FairPlayFit, questions: int) -> Suspicion:
    variance = max(one.information * look.dispersion, _seen_variance(one, look))
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


def _seen_variance(one: PairQuestion, look: FairPlayFit) -> float:
    """Return the variance of the question's score as the blocks show it.

    It is the sum of squares over the blocks in which both sat.
    """
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
    return float((own**2).sum())


def _null(kind: PairQuestionKind, last: FairPlayFit) -> Null:
    """Return what is usual among the pairs that were not set aside."""
    return empirical_null([last.z_of(one) for one in last.asked if one.kind is kind])


def _judge(one: _Aside, null: Null) -> Suspicion:
    z = null.judge(one.suspicion.z)
    return replace(one.suspicion, z=z, chance=_chance(z, one.questions))


def _without_circles(far: Sequence[Suspicion], first: FairPlayFit) -> tuple[Suspicion, ...]:
    """Return those that are no part of a circle of styles; where both gain, there is none."""
    names, moved = first.counts.versions, beyond_usual(flows(first))
    gains = {
        frozenset((names[one.first], names[one.second]))
        for one in first.asked
        if one.kind is PairQuestionKind.TOGETHER and first.z_of(one) >= _BOTH_GAIN
    }
    return tuple(
        one
        for one in far
        if one.kind == PairQuestionKind.TOGETHER
        or frozenset((one.first, one.second)) in gains
        or not comes_back(moved, one.first, one.second)
    )
