"""The official table: strengths with intervals and rank ranges, seat advantage, and who is stronger than whom.

It is one joint fit of the Davidson-Luce model with seat effects (`fit`) to all matches at once, so nothing
depends on the order in which they were played, how they were split, or which workers played them. It is identical on
one machine, and equal to 1e-9 across machines. No I/O.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from math import erf, inf, isfinite, log, sqrt
from statistics import NormalDist

import numpy as np

from engine.translatable import Text
from ratings.statistics.algebra import product
from ratings.statistics.circles import NO_CIRCLES, Circles, find_circles, meetings, mixture_of, pairs_of
from ratings.statistics.covariance import Uncertainty, blocks_won_and_lost, uncertainties
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
"""Time grows with the cube of the versions: 300 take 1 s, 1,000 take 22 s."""
_WIDE_SHARE = 0.5
_LEAST_BLOCKS = 10.0


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
    references: Floats
    unsteady: tuple[str, ...] = ()
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
        return FittedTable((), (), empty, empty, empty, confidence, 0, 0, counts.repeats, 0, 1.0, empty[0:0].ravel())
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
    maker = _TableMaker(counts, fitted, uncertainties(counts, fitted), fixed, confidence)
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
    return fit(stages, Shape(versions, width, largest_tie(stages)), fixed, counts.met)


class _TableMaker:
    """Turns a fit into the rows of a table."""

    def __init__(
        self,
        counts: Counts,
        fitted: Fit,
        unsure: tuple[Uncertainty, Uncertainty],
        fixed: dict[int, float],
        level: float,
    ) -> None:
        self.counts, self.fitted, self.fixed, self.level = counts, fitted, fixed, level
        self.unsure, self.unsure_if_wide = unsure
        self.size = len(counts.versions)
        self.groups: Ints = groups_of(counts.seats, self.size)
        is_anchor = np.array([place in fixed for place in range(self.size)])
        self.references = references_of(counts, self.groups, is_anchor, fitted.point)
        # Each strength is told as its distance from the mean of its group's references, or as it is beside an anchor.
        self.contrasts = np.zeros((self.size, fitted.shape.size))
        same_group = self.groups[:, None] == self.groups[None, :]
        self.contrasts[:, : self.size] = np.eye(self.size) - np.where(same_group, self.references, 0.0)
        self.strengths: Floats = product(self.contrasts, fitted.point)
        self.spread: Floats = self.unsure.pair_spread(self.size)
        # P(row stronger than column): known of two anchors, NaN for versions of two groups.
        gap = self.strengths[:, None] - self.strengths[None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(self.spread > 0, gap / self.spread, np.sign(gap) * np.inf)
        chance = 0.5 * (1 + error_function(np.nan_to_num(z, nan=0.0) / sqrt(2)))
        np.fill_diagonal(chance, 0.5)
        chance[~(same_group | (is_anchor[:, None] & is_anchor[None, :]))] = np.nan
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
            references=self.references[order],
            unsteady=self.counts.unsteady,
            circles=circles,
        )

    def _bounds(self) -> tuple[Floats, Floats]:
        """Return the ends of the intervals, infinite where the results bound nothing.

        They are quantiles of a mixture of the posterior and of the one under the wide prior, so that they also hold for
        bots unlike the others of the field. They include the point.
        """
        means = np.array([self.strengths, product(self.contrasts, self.fitted.wide.point)])
        trust = self.unsure.trust
        spreads = np.array([one.spread_of(self.contrasts, trust) for one in (self.unsure, self.unsure_if_wide)])
        doubt = (1 - self.level) / 2
        is_open_below, is_open_above = unbounded(self.counts, self.groups, self.references, set(self.fixed))
        low = np.minimum(_quantiles(means, spreads, doubt), self.strengths)
        high = np.maximum(_quantiles(means, spreads, 1 - doubt), self.strengths)
        return np.where(is_open_below, -inf, low), np.where(is_open_above, inf, high)

    def _rows(self, order: Ints) -> tuple[OfficialRow, ...]:
        lows, highs = self._bounds()
        weights = np.repeat(self.counts.counts, self.counts.seats.shape[1])
        matches = np.bincount(self.counts.seats.ravel(), weights=weights, minlength=self.size).astype(np.int64)
        doubt = (1 - self.level) / 2 / max(self.size - 1, 1)
        with np.errstate(invalid="ignore"):
            above = (self.stronger < doubt).sum(axis=1)
            below = (self.stronger > 1 - doubt).sum(axis=1)
        rows = []
        for rank, place in enumerate(order.tolist(), start=1):
            strength = float(self.strengths[place])
            low, high = (float(ends[place]) if isfinite(ends[place]) else None for ends in (lows, highs))
            row = OfficialRow(
                version=self.counts.versions[place],
                bot="",
                strength=strength,
                low=low,
                high=high,
                elo=_elo(strength),
                elo_low=None if low is None else _elo(low),
                elo_high=None if high is None else _elo(high),
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


def _quantiles(means: Floats, spreads: Floats, chance: float) -> Floats:
    """Return the quantiles of mixtures of two normal distributions, shape (2, mixtures); the second is the wide one."""
    reach = 40 * spreads.max(axis=0)
    low, high = means.min(axis=0) - reach, means.max(axis=0) + reach
    for _ in range(60):
        middle = (low + high) / 2
        below = 0.5 * (1 + error_function((middle - means) / np.maximum(spreads, 1e-12) / sqrt(2)))
        below = (1 - _WIDE_SHARE) * below[0] + _WIDE_SHARE * below[1]
        low, high = np.where(below < chance, middle, low), np.where(below < chance, high, middle)
    return np.asarray((low + high) / 2)


def references_of(counts: Counts, groups: Ints, is_anchor: Bools, point: Floats) -> Floats:
    """Return by how much each version counts in the mean of its group that stands at 0, 0 in a group with an anchor.

    Those count who are held together by results both ways, in the largest such set, of equally large ones the stronger
    by `point`: how far others are away nobody knows, and a mean with them in would be as unsure. One whose wins or
    losses are worth less than one block counts by the square of that, so that a lucky win moves no table.
    Where nobody is held together, those count who were ahead of somebody and behind somebody, or else all.
    """
    together = held_together(counts.seats, counts.ranks, len(groups))
    known = both_won_and_lost(counts)
    evidence = np.minimum(*blocks_won_and_lost(counts))
    found = np.zeros(len(groups))
    for group in range(int(groups.max()) + 1):
        mine = np.flatnonzero(groups == group)
        if is_anchor[mine].any():
            continue
        sets = [mine[together[mine] == label] for label in distinct(together[mine])]
        best = max(sets, key=lambda places: (len(places), float(point[places].mean())))
        if len(best) > 1:
            found[best] = np.minimum(evidence[best], 1.0) ** 2
        else:
            found[mine[known[mine]] if known[mine].any() else mine] = 1.0
        found[mine] /= found[mine].sum()
    return found


def unbounded(counts: Counts, groups: Ints, references: Floats, anchors: Collection[int]) -> tuple[Bools, Bools]:
    """Return of which versions nothing tells how far they are below the references of their group, and how far above.

    They met somebody in ten blocks or more, and were never ahead of any reference, directly or by way of others, or
    won less than one block's worth of matches.
    """
    size = len(groups)
    is_reference = references > 0
    is_reference[list(anchors)] = True
    ahead = _ahead(counts.seats, counts.ranks, size)
    everybody = np.ones(size, np.bool_)
    won, lost = blocks_won_and_lost(counts)
    is_known = won + lost >= _LEAST_BLOCKS
    starts = np.flatnonzero(is_reference)
    is_ahead, is_behind = (_reached(links, starts, everybody) for links in (ahead.T, ahead))
    is_known[list(anchors)] = False
    return is_known & (~is_ahead | (won < 1)), is_known & (~is_behind | (lost < 1))


def held_together(seats: Ints, ranks: Ints, versions: int) -> Ints:
    """Return the set of each version: in one set each was ahead of each other, directly or by way of others.

    Only within such a set is it known how far versions are apart (L. R. Ford, "Solution of a ranking problem from
    binary comparisons", 1957): who never was ahead of any of another set may be any distance below. The numbers of the
    sets say nothing.
    """
    ahead = _ahead(seats, ranks, versions)
    label = np.full(versions, -1)
    while (label < 0).any():
        start, is_left = np.array([np.argmin(label)]), label < 0
        label[_reached(ahead, start, is_left) & _reached(ahead.T, start, is_left)] = start[0]
    return label


def _ahead(seats: Ints, ranks: Ints, versions: int) -> Bools:
    """Return who was ahead of whom in some match, shape (versions, versions)."""
    ahead = np.zeros((versions, versions), np.bool_)
    for one, other in permutations(range(seats.shape[1]), 2):
        won = ranks[:, one] < ranks[:, other]
        ahead[seats[won, one], seats[won, other]] = True
    return ahead


def _reached(links: Bools, starts: Ints, among: Bools) -> Bools:
    """Return which can be reached from the starts by links among some."""
    reached = np.zeros(len(links), np.bool_)
    new = starts
    while len(new):
        reached[new] = True
        new = np.flatnonzero(links[new].any(axis=0) & among & ~reached)
    return reached
