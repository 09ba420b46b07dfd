"""The official table: strengths with intervals and rank ranges, seat advantage, and who is stronger than whom.

It is one joint fit of the Davidson-Luce model with seat effects (`fit`) to all matches at once, so nothing
depends on the order in which they were played, how they were split, or which workers played them. It is identical on
one machine, and equal to 1e-9 across machines. No I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import erf, log, sqrt
from statistics import NormalDist

import numpy as np

from engine.translatable import Text
from ratings.statistics.circles import NO_CIRCLES, Circles, find_circles, meetings, mixture_of, pairs_of
from ratings.statistics.covariance import Uncertainty, uncertainty
from ratings.statistics.errors import ResultsError
from ratings.statistics.fit import Fit, Shape, fit
from ratings.statistics.results import (
    Bools,
    Counts,
    Floats,
    Ints,
    Results,
    both_won_and_lost,
    condensed,
    count,
    distinct,
    largest_tie,
    stages_of,
)
from ratings.values.statistics import OfficialRow, SeatAdvantage

ELO_PER_UNIT = 400 / log(10)
ELO_MEAN = 1500.0
MAX_VERSIONS = 2000
"""Time grows with the cube of the versions: 300 take 1 s, 1,000 take 16 s."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedTable:
    """The table, best first.

    `stronger[i, j]` is P(rows[i] stronger than rows[j]), or NaN if nothing compares the two. `matches` and `blocks` are
    those that count, `repeats` is how many matches repeated another by plan, `groups` how many parts of the field
    never met. `spread[i, j]` is the standard deviation of the difference of two strengths, `covariance` that of the
    strengths by the model, times `dispersion` (how much more blocks vary than lone matches). `circles` are those of
    which no single number for each version can tell.
    """

    rows: tuple[OfficialRow, ...]
    seats: tuple[SeatAdvantage, ...]
    stronger: Floats
    spread: Floats
    covariance: Floats
    confidence: float
    matches: int
    blocks: int
    repeats: int
    groups: int
    dispersion: float
    circles: Circles = NO_CIRCLES

    @property
    def is_connected(self) -> bool:
        """Return whether every two versions are compared, directly or by way of others."""
        return self.groups <= 1


def official_table(
    results: Results,
    anchors: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    *,
    with_mixture: bool = False,
) -> FittedTable:
    """Fit all matches; `anchors` maps version ids to fixed Elo numbers, and those that did not play are ignored.

    `with_mixture` also measures each version against the mixture that none beats (see `mixture_of`).
    Raises ResultsError for a confidence outside (0, 1), too many versions, or anchors that are not finite numbers.
    """
    if not 0 < confidence < 1:
        raise ResultsError(Text("confidence {value} is not between 0 and 1; 0.95 is usual", value=confidence))
    counts = count(results)
    if len(counts.versions) > MAX_VERSIONS:
        raise ResultsError(
            Text(
                "{count} versions are too many for one fit; at most {most}",
                count=len(counts.versions),
                most=MAX_VERSIONS,
            )
        )
    if not counts.matches:
        empty = np.zeros((0, 0))
        return FittedTable((), (), empty, empty, empty, confidence, 0, 0, counts.repeats, 0, 1.0)
    anchors = anchors or {}
    if not all(abs(elo) < 1e5 for elo in anchors.values()):
        raise ResultsError("an anchor's Elo number is no number between -100000 and 100000")
    fixed = {
        place: (anchors[version] - ELO_MEAN) / ELO_PER_UNIT
        for place, version in enumerate(counts.versions)
        if version in anchors
    }
    fitted = fit_counts(counts, fixed)
    met = meetings(counts)
    maker = _TableMaker(counts, fitted, uncertainty(counts, fitted), fixed, confidence)
    table = maker.table(find_circles(met, counts.versions))
    if not with_mixture:
        return table
    ties = fitted.point[fitted.shape.first_tie :]
    found = mixture_of(pairs_of(met), maker.strengths, float(ties[0]) if len(ties) else None, maker.groups)
    figures = dict(zip(counts.versions, zip(found.shares.tolist(), found.gains.tolist(), strict=True), strict=True))
    measured = []
    for row in table.rows:
        share, gain = figures[row.version]
        measured.append(replace(row, mixture_share=share, mixture_elo=ELO_PER_UNIT * gain))
    return replace(table, rows=tuple(measured))


def fit_counts(counts: Counts, fixed: dict[int, float]) -> Fit:
    """Return the fit to counted matches; `fixed` maps versions' places to strengths."""
    versions, width = len(counts.versions), counts.seats.shape[1]
    stages = condensed(stages_of(counts.seats, counts.ranks, counts.counts), versions, width)
    return fit(stages, Shape(versions, width, largest_tie(stages)), fixed)


class _TableMaker:
    """Turns a fit into the rows of a table."""

    def __init__(self, counts: Counts, fitted: Fit, unsure: Uncertainty, fixed: dict[int, float], level: float) -> None:
        self.counts, self.fitted, self.unsure, self.fixed, self.level = counts, fitted, unsure, fixed, level
        self.size = len(counts.versions)
        self.groups: Ints = groups_of(counts.seats, self.size)
        self.references = references_of(counts, self.groups, self._is_anchor(), fitted.point)
        # The mean of each group's references is at 0, also beside anchors of another group.
        self.strengths: Floats = fitted.point[: self.size].copy()
        for mine, references in self.references:
            self.strengths[mine] -= fitted.point[references].mean()
        self.spread: Floats = unsure.pair_spread(self.size)
        # P(row stronger than column): known of two anchors, NaN for versions of two groups.
        gap = self.strengths[:, None] - self.strengths[None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(self.spread > 0, gap / self.spread, np.sign(gap) * np.inf)
        chance = 0.5 * (1 + error_function(np.nan_to_num(z, nan=0.0) / sqrt(2)))
        np.fill_diagonal(chance, 0.5)
        is_anchor = self._is_anchor()
        is_of_group = self.groups[:, None] == self.groups[None, :]
        chance[~(is_of_group | (is_anchor[:, None] & is_anchor[None, :]))] = np.nan
        self.stronger: Floats = chance

    def table(self, circles: Circles) -> FittedTable:
        order = np.lexsort((np.arange(self.size), -self.strengths))
        square = np.ix_(order, order)
        return FittedTable(
            rows=self._rows(order),
            seats=self._seats(),
            stronger=self.stronger[square],
            spread=self.spread[square],
            covariance=self.unsure.model[: self.size, : self.size][square],
            confidence=self.level,
            matches=self.counts.matches,
            blocks=self.counts.blocks,
            repeats=self.counts.repeats,
            groups=int(self.groups.max()) + 1,
            dispersion=self.unsure.dispersion,
            circles=circles,
        )

    def _is_anchor(self) -> Bools:
        return np.array([place in self.fixed for place in range(self.size)])

    def _rows(self, order: Ints) -> tuple[OfficialRow, ...]:
        # Half of each interval: about the mean of the references, or absolute in a group with an anchor.
        contrasts = np.zeros((self.size, self.fitted.shape.size))
        contrasts[:, : self.size] = np.eye(self.size)
        for mine, references in self.references:
            contrasts[np.ix_(mine, references)] -= 1 / len(references)
        margins = NormalDist().inv_cdf((1 + self.level) / 2) * self.unsure.spread_of(contrasts, self.unsure.trust)
        weights = np.repeat(self.counts.counts, self.counts.seats.shape[1])
        matches = np.bincount(self.counts.seats.ravel(), weights=weights, minlength=self.size).astype(np.int64)
        doubt = (1 - self.level) / 2 / max(self.size - 1, 1)
        with np.errstate(invalid="ignore"):
            above = (self.stronger < doubt).sum(axis=1)
            below = (self.stronger > 1 - doubt).sum(axis=1)
        rows = []
        for rank, place in enumerate(order.tolist(), start=1):
            strength, margin = float(self.strengths[place]), float(margins[place])
            low, high = strength - margin, strength + margin
            row = OfficialRow(
                version=self.counts.versions[place],
                bot="",
                strength=strength,
                low=low,
                high=high,
                elo=_elo(strength),
                elo_low=_elo(low),
                elo_high=_elo(high),
                rank=rank,
                best_rank=1 + int(above[place]),
                worst_rank=self.size - int(below[place]),
                matches=int(matches[place]),
                is_anchor=place in self.fixed,
                group=int(self.groups[place]),
                above_next=None,
                stronger=(),
            )
            rows.append(row)
        return tuple(rows)

    def _seats(self) -> tuple[SeatAdvantage, ...]:
        shape = self.fitted.shape
        contrasts = np.zeros((shape.seats, shape.size))
        contrasts[:, shape.versions : shape.first_tie] = np.eye(shape.seats) - 1 / shape.seats
        effects = self.fitted.point[shape.versions : shape.first_tie]
        spread = self.unsure.spread_of(contrasts, self.unsure.seat_trust)
        margins = NormalDist().inv_cdf((1 + self.level) / 2) * spread
        return tuple(
            SeatAdvantage(seat, effect, effect - margin, effect + margin)
            for seat, (effect, margin) in enumerate(
                zip((effects - effects.mean()).tolist(), margins.tolist(), strict=True)
            )
        )


def _elo(strength: float) -> float:
    return ELO_MEAN + ELO_PER_UNIT * strength


def error_function(values: Floats) -> Floats:
    """Return erf of each value, in their shape."""
    return np.array([erf(value) for value in values.ravel().tolist()]).reshape(values.shape)


def groups_of(seats: Ints, versions: int) -> Ints:
    """Return the group of each version, counted from 0: the largest first, equal ones by their first version."""
    label = np.arange(versions)
    links = distinct(np.sort(np.concatenate([seats[:, [0, other]] for other in range(1, seats.shape[1])]), 1), axis=0)
    while True:
        least = np.minimum(label[links[:, 0]], label[links[:, 1]])
        new = label.copy()
        np.minimum.at(new, links[:, 0], least)
        np.minimum.at(new, links[:, 1], least)
        new = new[new]
        if (new == label).all():
            break
        label = new
    names, where, sizes = np.unique(label, return_inverse=True, return_counts=True)
    place = np.empty(len(names), np.int64)
    place[np.lexsort((names, -sizes))] = np.arange(len(names))
    return place[where]


def references_of(counts: Counts, groups: Ints, is_anchor: Bools, point: Floats) -> list[tuple[Ints, Ints]]:
    """Return, for each group without an anchor, its places and those about whose mean it is told.

    These are the most versions that are held together by results both ways, of equally many the stronger ones by
    `point`: how far others are away nobody knows, and a mean with them in would be as unsure. Without any they are
    those that were ahead of somebody and behind somebody, or all.
    """
    together = held_together(counts.seats, counts.ranks, len(groups))
    known = both_won_and_lost(counts)
    every = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    return [(mine, _reference(mine, together, known, point)) for mine in every if not is_anchor[mine].any()]


def _reference(mine: Ints, together: Ints, known: Bools, point: Floats) -> Ints:
    sets = [mine[together[mine] == label] for label in distinct(together[mine])]
    best: Ints = max(sets, key=lambda places: (len(places), float(point[places].mean())))
    if len(best) > 1:
        return best
    among: Ints = mine[known[mine]]
    return among if len(among) else mine


def held_together(seats: Ints, ranks: Ints, versions: int) -> Ints:
    """Return the set of each version: in one set each was ahead of each other, directly or by way of others.

    Only within such a set is it known how far versions are apart (L. R. Ford, "Solution of a ranking problem from
    binary comparisons", 1957): who never was ahead of any of another set may be any distance below. The numbers of the
    sets say nothing.
    """
    ahead = np.zeros((versions, versions), np.bool_)
    for one in range(seats.shape[1]):
        for other in range(seats.shape[1]):
            won = ranks[:, one] < ranks[:, other]
            ahead[seats[won, one], seats[won, other]] = True
    label = np.full(versions, -1)
    while (label < 0).any():
        start, is_left = int(np.argmin(label)), label < 0
        label[_reached(ahead, start, is_left) & _reached(ahead.T, start, is_left)] = start
    return label


def _reached(links: Bools, start: int, among: Bools) -> Bools:
    """Return which can be reached from a start by links among some."""
    reached = np.zeros(len(links), np.bool_)
    new = np.array([start])
    while len(new):
        reached[new] = True
        new = np.flatnonzero(links[new].any(axis=0) & among & ~reached)
    return reached
