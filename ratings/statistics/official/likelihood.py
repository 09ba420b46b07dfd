"""The Davidson-Luce model with seat effects: log likelihood, its gradient and its curvature. No I/O.

A set C of the seats A that are left comes next with probability proportional to

    delta(|C|) * (product of the worths of C) ** (1 / |C|)        among all sets of at most D seats of A,

where the worth of a seat is exp(strength of its version + effect of the seat), delta(1) = 1 and D is the largest tie
seen. Source: D. Firth, I. Kosmidis, H. Turner, "Davidson-Luce model for multi-item choice with ties" (2019,
arXiv:1909.07123), applied stage by stage as in H. Turner, J. van Etten, D. Firth, I. Kosmidis, "Modelling rankings in
R: the PlackettLuce package" (2020); for two seats it is Davidson's model (1970), without ties Plackett and Luce's. The
effect of the seat enters as the order effect of Davidson and Beaver (1977) does. The log likelihood is concave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.statistics.official.results import Floats, Ints
from ratings.statistics.official.stages import Stages, chunks, subsets

CHUNK = 16384


@dataclass(frozen=True, slots=True)
class Shape:
    """How the vector of parameters is laid out: strengths, seat effects, log delta(2), ..., log delta(ties)."""

    versions: int
    seats: int
    ties: int

    @property
    def size(self) -> int:
        """Return the length of the vector."""
        return self.versions + self.seats + self.ties - 1

    @property
    def first_tie(self) -> int:
        """Return the place of log delta(2)."""
        return self.versions + self.seats


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """Choices as their own few unknowns see them: the log worth of each seat left, then each log delta.

    `scores` has shape (unknowns, choices): what was seen less what was expected. `information[a][b]`, a <= b, is the
    covariance of the unknowns' statistics, shape (choices,).
    """

    log_likelihood: Floats
    scores: Floats
    information: list[list[Floats]]


@dataclass(slots=True, eq=False)
class Value:
    """The log likelihood at a point, its gradient and its information (minus the second derivative)."""

    log_likelihood: float
    gradient: Floats
    information: Floats


def local(stages: Stages, shape: Shape, point: Floats, *, with_information: bool = True) -> Local:
    """Return the scores and the information of each choice by itself, not multiplied by its count."""
    size = len(stages.seats)
    sets = subsets(size, shape.ties)
    worths = point[stages.versions] + point[shape.versions + stages.seats]
    chances, log_likelihood = _chances(worths, sets, shape, point, stages.chosen)
    values = _values(sets, size, shape.ties)
    means = _sums(chances, values)
    column = np.zeros(1 << size, np.int64)
    column[list(sets)] = np.arange(len(sets))
    scores = values[:, column[stages.chosen]] - means
    information = _covariances(chances, values, means) if with_information else []
    return Local(log_likelihood, scores, information)


def _chances(worths: Floats, sets: Sequence[int], shape: Shape, point: Floats, chosen: Ints) -> tuple[Floats, Floats]:
    """Return the probability of every set, shape (sets, choices), and the log of that of the chosen one."""
    logs = np.empty((len(sets), worths.shape[1]))
    for row, bits in zip(logs, sets, strict=True):
        members = [place for place in range(len(worths)) if bits >> place & 1]
        row[:] = worths[members[0]]
        for place in members[1:]:
            row += worths[place]
        if len(members) > 1:
            row /= len(members)
            row += point[shape.first_tie + len(members) - 2]
    top = logs.max(axis=0)
    column = np.zeros(1 << len(worths), np.int64)
    column[list(sets)] = np.arange(len(sets))
    seen = logs[column[chosen], np.arange(worths.shape[1])] - top
    chances = np.exp(logs - top)
    total = chances.sum(axis=0)
    chances /= total
    return chances, seen - np.log(total)


def _values(sets: Sequence[int], size: int, ties: int) -> Floats:
    """Return what each set contributes to each unknown's statistic, shape (unknowns, sets)."""
    values = np.zeros((size + ties - 1, len(sets)))
    for column, bits in enumerate(sets):
        members = [place for place in range(size) if bits >> place & 1]
        values[members, column] = 1 / len(members)
        if len(members) > 1:
            values[size + len(members) - 2, column] = 1.0
    return values


def _sums(chances: Floats, values: Floats) -> Floats:
    """Return `values @ chances`, with each sum in the same order whatever library multiplies matrices here."""
    sums = np.zeros((len(values), chances.shape[1]))
    for row, weights in zip(sums, values, strict=True):
        for index in np.flatnonzero(weights):
            row += weights[index] * chances[index]
    return sums


def _covariances(chances: Floats, values: Floats, means: Floats) -> list[list[Floats]]:
    unknowns = range(len(values))
    pairs = [(a, b) for a in unknowns for b in unknowns if a <= b]
    products = _sums(chances, np.array([values[a] * values[b] for a, b in pairs]))
    found: list[list[Floats]] = [[np.empty(0)] * len(values) for _ in unknowns]
    for (a, b), row in zip(pairs, products, strict=True):
        row -= means[a] * means[b]
        found[a][b] = found[b][a] = row
    return found


def places(stages: Stages, shape: Shape) -> list[list[Ints]]:
    """Return, for each local unknown, the places of the parameters whose sum it is, each of shape (choices,)."""
    seats = [[stages.versions[a], shape.versions + stages.seats[a]] for a in range(len(stages.seats))]
    return seats + [[np.full(len(stages), shape.first_tie + tie)] for tie in range(shape.ties - 1)]


def evaluate(tables: Sequence[Stages], shape: Shape, point: Floats) -> Value:
    """Return the whole likelihood at a point. Sums run in the order of the tables, in one thread."""
    value = Value(0.0, np.zeros(shape.size), np.zeros((shape.size, shape.size)))
    upper = np.zeros((shape.size, shape.size))
    for table in tables:
        for stages in chunks(table, CHUNK):
            _add(value, upper, stages, shape, point)
    value.information += upper + upper.T
    return value


def _add(value: Value, upper: Floats, stages: Stages, shape: Shape, point: Floats) -> None:
    found = local(stages, shape, point)
    value.log_likelihood += float((found.log_likelihood * stages.counts).sum())
    targets = places(stages, shape)
    size = shape.size
    for a, mine in enumerate(targets):
        for place in mine:
            np.add.at(value.gradient, place, found.scores[a] * stages.counts)
        for b, others in enumerate(targets[a:], start=a):
            weights = found.information[a][b] * stages.counts
            flat = (value.information if a == b else upper).reshape(-1)
            for place in mine:
                for other in others:
                    np.add.at(flat, place * size + other, weights)


def log_likelihood(tables: Sequence[Stages], shape: Shape, point: Floats) -> float:
    """Return the log likelihood alone."""
    total = 0.0
    for table in tables:
        for stages in chunks(table, CHUNK):
            found = local(stages, shape, point, with_information=False)
            total += float((found.log_likelihood * stages.counts).sum())
    return total
