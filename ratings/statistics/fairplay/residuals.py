"""What every pair of versions did at common tables, against what the model expects there. No I/O.

For the ordered pair (i, j) the model gets one more parameter: what i's presence at the table adds to j's log worth. Its
score at 0 is the sum of j's residuals at tables with i; its information is known too, also that shared with all other
parameters, which were fitted to the same matches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.statistics.official.aggregate import Counts
from ratings.statistics.official.fit import Fit
from ratings.statistics.official.likelihood import Shape, local
from ratings.statistics.official.results import Floats
from ratings.statistics.official.stages import stages_of

_CHUNK = 8192


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """What each version's presence does to each other, of shape (versions, versions): [i, j] is about i's effect on j.

    `scores` and `information` are those of the added parameter; `mixed[i, j]` is the information that (i, j) and (j, i)
    share; `shared`, of shape (versions, versions, parameters), is that shared with each parameter of the model;
    `matches` counts the tables at which both sat.
    """

    scores: Floats
    information: Floats
    mixed: Floats
    shared: Floats
    matches: Floats


def residuals(counts: Counts, fitted: Fit) -> Residuals:
    """Return the residuals of all ordered pairs; a version's own second copy at the table counts as nobody's help."""
    size = fitted.shape.versions
    flat = size * size
    found = Residuals(
        np.zeros(flat), np.zeros(flat), np.zeros(flat), np.zeros((flat, fitted.shape.size)), np.zeros(flat)
    )
    for start in range(0, len(counts.seats), _CHUNK):
        _add(found, counts, fitted, slice(start, start + _CHUNK))
    square = (size, size)
    return Residuals(
        found.scores.reshape(square),
        found.information.reshape(square),
        found.mixed.reshape(square),
        found.shared.reshape(size, size, -1),
        found.matches.reshape(square),
    )


def _add(found: Residuals, counts: Counts, fitted: Fit, rows: slice) -> None:
    seats, times = counts.seats[rows], counts.counts[rows].astype(float)
    shape = fitted.shape
    scores, information = _of_rows(counts, fitted, rows)
    shared = found.shared.reshape(-1)
    for a in range(shape.seats):
        for b in range(shape.seats):
            if a == b:
                continue
            others = seats[:, a] != seats[:, b]
            weights = np.where(others, times, 0.0)
            pair = seats[:, a] * shape.versions + seats[:, b]
            np.add.at(found.scores, pair, weights * scores[:, b])
            np.add.at(found.information, pair, weights * information[:, b, b])
            np.add.at(found.mixed, pair, weights * information[:, a, b])
            np.add.at(found.matches, pair, weights)
            base = pair * shape.size
            for c in range(shape.seats):
                np.add.at(shared, base + seats[:, c], weights * information[:, b, c])
                np.add.at(shared, base + shape.versions + c, weights * information[:, b, c])
            for tie in range(shape.ties - 1):
                np.add.at(shared, base + shape.first_tie + tie, weights * information[:, b, shape.seats + tie])


def _of_rows(counts: Counts, fitted: Fit, rows: slice) -> tuple[Floats, Floats]:
    """Return the score and the information of each row in the log worths of its seats and the ties."""
    shape: Shape = fitted.shape
    seats, ranks = counts.seats[rows], counts.ranks[rows]
    unknowns = shape.seats + shape.ties - 1
    scores = np.zeros((len(seats), unknowns))
    information = np.zeros((len(seats), unknowns, unknowns))
    for stages in stages_of(seats, ranks, counts.counts[rows]):
        seen = local(stages, shape, fitted.point)
        left = len(stages.seats)
        columns = [*stages.seats, *(np.full(len(stages), shape.seats + tie) for tie in range(shape.ties - 1))]
        for a in range(left + shape.ties - 1):
            scores[stages.rows, columns[a]] += seen.scores[a]
            for b in range(left + shape.ties - 1):
                information[stages.rows, columns[a], columns[b]] += seen.information[a][b]
    return scores, information
