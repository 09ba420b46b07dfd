"""Finds pairs of versions that do better at common tables than the model allows, with few false alarms. No I/O.

Two questions are asked of every pair that met often enough: does one do better when the other is there ("helps"), and,
with three seats or more, do both together ("together")? Each is a score test (Rao 1948) of one more parameter of the
official model. Its variance is the greater of two: the model's, times the dispersion of the field's blocks, and the one
seen from block to block. Bonferroni's bound over all questions keeps the chance of any alarm in an honest field below
`alarm`.

Colluders make honest bots look suspicious too: two of these do better where no colluders sit. So the strongest pair is
reported, the matches in which it sits together are left out, the rest is fitted anew, until there is no alarm.
An alarm is a reason to look at matches, not a proof: a bot that happens to beat one other bot raises it as well.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ratings.statistics.errors import ResultsError
from ratings.statistics.fairplay.residuals import Residuals, residuals
from ratings.statistics.official.aggregate import Counts, count
from ratings.statistics.official.algebra import inner, inverse, product
from ratings.statistics.official.covariance import block_scores, row_scores, uncertainty
from ratings.statistics.official.fit import Fit
from ratings.statistics.official.results import Bools, Floats, Results
from ratings.statistics.official.table import ELO_PER_UNIT, fit_counts

ALARM = 0.005
MAX_VERSIONS = 250
_LEAST_INFORMATION = 4.0
"""About what 16 even matches of two tell; with less, the normal distribution is no guide so far out in its tail."""
_MAX_ALARMS = 60


class Kind(enum.StrEnum):
    """What a suspicious pair seems to do."""

    HELPS = "helps"
    """`second` does better when `first` is at the table."""
    TOGETHER = "together"
    """Both do better when both are at the table."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A pair that does better at common tables than chance allows.

    `elo` is how much stronger the helped play then, `z` the residual in standard deviations, `chance` the probability
    that an honest field of this size shows anywhere what this pair shows, `matches` how many it sat in together.
    """

    kind: Kind
    first: str
    second: str
    elo: float
    z: float
    chance: float
    matches: int


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    kind: Kind
    first: int
    second: int
    score: float
    information: float
    weights: Floats
    """What the question shares with the model's parameters, as regression coefficients."""


def suspicious_pairs(results: Results, alarm: float = ALARM) -> tuple[Suspicion, ...]:
    """Return the suspicious pairs in the order in which they were found; usually there are none.

    `alarm` bounds the chance of finding one in an honest field. Raises ResultsError for an alarm outside (0, 1) or more
    than 250 versions.
    """
    if not 0 < alarm < 1:
        raise ResultsError(f"the chance {alarm} of a false alarm is not between 0 and 1")
    found: list[Suspicion] = []
    while len(found) < _MAX_ALARMS and len(results.seats):
        strongest = _strongest(results)
        if strongest is None or strongest.chance > alarm:
            break
        found.append(strongest)
        results = results.where(~_together(results, strongest))
    return tuple(found)


def _together(results: Results, pair: Suspicion) -> Bools:
    places = [results.versions.index(version) for version in (pair.first, pair.second)]
    return np.asarray(np.logical_and(*((results.seats == place).any(axis=1) for place in places)))


def _strongest(results: Results) -> Suspicion | None:
    """Return the pair with the least chance, given the greater of the two variances."""
    counts = count(results)
    if len(counts.versions) > MAX_VERSIONS:
        raise ResultsError(f"{len(counts.versions)} versions are too many for a look at pairs; at most {MAX_VERSIONS}")
    fitted = fit_counts(counts, {})
    seen = residuals(counts, fitted)
    questions = _questions(fitted, seen)
    dispersion = max(1.0, uncertainty(counts, fitted).dispersion)
    likely = sorted(questions, key=lambda one: -one.score / (one.information * dispersion) ** 0.5)[:8]
    judged = [_judge(one, counts, fitted, seen, dispersion, len(questions)) for one in likely]
    return min(judged, key=lambda one: -one.z, default=None)


def _questions(fitted: Fit, seen: Residuals) -> list[_Question]:
    """Return all questions with enough information, given that the model was fitted to the same matches."""
    spread = inverse(fitted.precision)
    size = fitted.shape.versions
    found = []
    for i in range(size):
        for j in range(size):
            if i != j and seen.matches[i, j]:
                found.append(_helps(seen, i, j, spread))
            if i < j and seen.matches[i, j] and fitted.shape.seats > 2:
                found.append(_both_gain(seen, i, j, spread))
    return [one for one in found if one.information >= _LEAST_INFORMATION]


def _helps(seen: Residuals, i: int, j: int, spread: Floats) -> _Question:
    """Return the question whether `j` does better when `i` is at the table."""
    weights = product(spread, seen.shared[i, j])
    information = seen.information[i, j] - inner(seen.shared[i, j], weights)
    return _Question(Kind.HELPS, i, j, float(seen.scores[i, j]), float(information), weights)


def _both_gain(seen: Residuals, i: int, j: int, spread: Floats) -> _Question:
    """Return the question whether both do better when both are at the table."""
    shared = seen.shared[i, j] + seen.shared[j, i]
    weights = product(spread, shared)
    both = seen.information[i, j] + seen.information[j, i] + 2 * seen.mixed[i, j]
    score = seen.scores[i, j] + seen.scores[j, i]
    return _Question(Kind.TOGETHER, i, j, float(score), float(both - inner(shared, weights)), weights)


def _judge(
    one: _Question, counts: Counts, fitted: Fit, seen: Residuals, dispersion: float, questions: int
) -> Suspicion:
    variance = max(one.information * dispersion, _seen_variance(one, counts, fitted))
    z = one.score / variance**0.5
    return Suspicion(
        one.kind,
        counts.versions[one.first],
        counts.versions[one.second],
        ELO_PER_UNIT * one.score / one.information,
        z,
        min(1.0, questions * NormalDist().cdf(-z)),
        int(seen.matches[one.first, one.second]),
    )


def _seen_variance(one: _Question, counts: Counts, fitted: Fit) -> float:
    """Return the variance of the question's score as the blocks show it.

    It is the sum of squares over the blocks in which both sat.
    """
    shape = fitted.shape
    sat = [(counts.seats == place).any(axis=1) for place in (one.first, one.second)]
    is_common = (sat[0] & sat[1])[counts.row_of]
    rows = counts.row_of[is_common]
    scores = row_scores(counts, shape, fitted.point)
    _, block = np.unique(counts.block_of[is_common], return_inverse=True)
    known = product(block_scores(counts.seats, scores, rows, block, shape), one.weights)
    helped = [one.second] if one.kind is Kind.HELPS else [one.first, one.second]
    gains = (scores[rows, : shape.seats] * np.isin(counts.seats[rows], helped)).sum(axis=1)
    own = np.bincount(block, weights=gains, minlength=len(known)) - known
    return float((own**2).sum())
