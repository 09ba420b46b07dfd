"""Computes how well a table answers a question, and the blocks to play next. No I/O.

`question_status` tells how well. A question with a zone is answered by those of whom none is weaker than another by
more than the zone, and it pays for being asked after every wave. Matches add up like a Brownian motion, so that the
lead of one over another, in units of its standard deviation, is asked again and again of the same walk, and once goes
too far by chance. A boundary of one height at every look spends the error evenly over the logarithm of the matches (an
alpha spending after Pocock; K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", 1983).
What it spends in all is the chance that the walk ever crosses it (D. Siegmund, "Sequential Analysis", 1985, section
4.3, here for one side).

The table takes every version for as strong at the end as at the beginning. Where one learns while it plays, its
strength is a mean over the time, and an answer that rests on it may be one about the past: results drift.

A block gives each two that met in it one score: the share of their points in all its rotations. While both stay as
they are, all blocks of the two are alike, in whatever order they came. So each score is taken less the mean of its
pair, times the number of the block less the mean of its pair; the sum over all blocks of a version is 0 on average, and
its square that of its parts, since blocks are independent. That is the score test for a trend in a strength (C. R. Rao,
1948) with a parameter of its own for each pair, so that no model of ties, seats, styles or openings enters, and none of
who meets whom when.

`next_blocks` chooses the blocks where information is worth most: the same for the same table and seed. What a block
would tell is added to the table's covariance as the model expects it, one block after another. The block that comes
next is the one that most lowers the variances of (leader - other), each in units of itself and weighted with the chance
that the two stand in the wrong order. The aim is that of "optimal computing budget allocation" for the best m of k
(C.-H. Chen, D. He, M. Fu, L. H. Lee, 2008). Choosing greedily also respects the correlations that a joint fit has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from random import Random
from statistics import NormalDist

import numpy as np

from ratings.statistics.algebra import product
from ratings.statistics.errors import ResultsError
from ratings.statistics.official_table import ELO_PER_UNIT, FittedTable, error_function
from ratings.statistics.results import Bools, Floats, Ints, Results, distinct
from ratings.statistics.stopping_question import StoppingQuestion, check_question

Owners = Mapping[str, str]
"""Whose each entrant is; one without an owner is its own."""
DRIFT_ALARM = 0.02
"""The chance that any version which stays as it is is told to drift, at one look."""
_CANDIDATES = 40
_LEAST_DOUBT = 1e-6
_MATCHES = 2.0
"""A block has as many matches as seats, but each two get only about 2 / n of what a match of n tells."""


def first_blocks(
    entrants: Sequence[str], seats: int, seed: int, rings: int = 2, owners: Owners | None = None
) -> list[tuple[str, ...]]:
    """Return tables that connect everybody.

    For each ring a circle of all entrants is drawn and cut so that neighbouring tables share one entrant. Each block is
    the versions by seat, to be played in all rotations. Two of one of `owners` never meet. Raises ResultsError if the
    entrants, or their owners, are too few.
    """
    _check(entrants, seats, owners)
    found: list[tuple[str, ...]] = []
    for ring in range(rings):
        circle = sorted(entrants)
        Random(f"{seed} {ring}").shuffle(circle)
        if _share_owners(entrants, owners):
            found += _ring_apart(circle, seats, owners or {})
            continue
        found += [
            tuple(circle[(start + seat) % len(circle)] for seat in range(seats))
            for start in range(0, len(circle), seats - 1)
        ]
    return found


def next_blocks(
    table: FittedTable,
    question: StoppingQuestion,
    entrants: Sequence[str],
    seats: int,
    blocks: int,
    seed: int,
    owners: Owners | None = None,
) -> list[tuple[str, ...]]:
    """Return `blocks` tables; entrants that have not played come first. The circular order at a table is drawn.

    Two of one of `owners` never meet. Raises ResultsError if the entrants, or their owners, are too few for a table, or
    the entrants for the question.
    """
    _check(entrants, seats, owners)
    whose = {name: name if owners is None else owners[name] for name in entrants}
    check_question(question, len(entrants))
    random = Random(f"{seed} {table.matches}")
    known = {row.version for row in table.rows}
    found = [_table_with(name, entrants, seats, random, whose) for name in sorted(set(entrants) - known)][:blocks]
    if len(known & set(entrants)) < max(seats, question.places + 1):
        draws = (_shuffled(sorted(entrants), random) for _ in range(blocks - len(found)))
        return found + [tuple(_apart([], drawn, seats, whose)) for drawn in draws]
    search = _Search(table, question, whose, seats)
    while len(found) < blocks:
        found.append(_shuffled(search.take(), random))
    return found


def _share_owners(entrants: Sequence[str], owners: Owners | None) -> bool:
    return owners is not None and len({owners[name] for name in entrants}) < len(entrants)


def _ring_apart(circle: Sequence[str], seats: int, owners: Owners) -> list[tuple[str, ...]]:
    """Return tables that each share an entrant with those before, until everybody is connected."""
    tables = [tuple(_apart([], circle, seats, owners))]
    there = set(tables[0])
    for name in circle:
        if name not in there:
            known = [other for other in circle if other in there]
            begun = _apart([name], known, 2, owners)
            fresh = [other for other in circle if other not in there]
            tables.append(tuple(_apart(begun, [*fresh, *known], seats, owners)))
            there |= set(tables[-1])
    return tables


def _apart(begun: Sequence[str], wanted: Sequence[str], seats: int, owners: Owners) -> list[str]:
    """Return a table that was begun, filled with the first of `wanted` whose owners do not sit there yet."""
    table = list(begun)
    for name in wanted:
        if len(table) < seats and all(owners[name] != owners[other] for other in table):
            table.append(name)
    return table


def _check(entrants: Sequence[str], seats: int, owners: Owners | None) -> None:
    if len(set(entrants)) != len(entrants):
        raise ResultsError("an entrant is listed twice")
    if seats < 2 or len(entrants) < seats:
        raise ResultsError(f"{len(entrants)} entrants cannot fill tables of {seats} seats")
    if owners is not None and len({owners[name] for name in entrants}) < seats:
        raise ResultsError(f"bots of so few owners cannot fill tables of {seats} seats")


def _table_with(name: str, entrants: Sequence[str], seats: int, random: Random, owners: Owners) -> tuple[str, ...]:
    others = sorted(set(entrants) - {name})
    if _share_owners(entrants, owners):
        return _shuffled(_apart([name], _shuffled(others, random), seats, owners), random)
    return _shuffled([name, *random.sample(others, seats - 1)], random)


def _shuffled(names: Sequence[str], random: Random) -> tuple[str, ...]:
    return tuple(random.sample(list(names), len(names)))


class _Search:
    """The covariance as it will be after the blocks taken so far, and which differences matter."""

    def __init__(self, table: FittedTable, question: StoppingQuestion, owners: Owners, seats: int) -> None:
        places = [place for place, row in enumerate(table.rows) if row.version in owners]
        doubts = doubts_of(table, places, question)
        mass = np.concatenate([doubts.sum(axis=1), doubts.sum(axis=0)])
        whose = [owners[table.rows[place].version] for place in places]
        # The best are searched, and of further owners the best if a table were not filled.
        best_first = np.argsort(-mass, kind="stable").tolist()
        kept = best_first[: max(_CANDIDATES, seats)]
        there = {whose[one] for one in kept}
        for one in best_first:
            if len(there) < seats and whose[one] not in there:
                there.add(whose[one])
                kept.append(one)
        kept.sort()
        self.names = [table.rows[places[index]].version for index in kept]
        rows = [places[index] for index in kept]
        self.covariance: Floats = table.covariance[np.ix_(rows, rows)].copy()
        self.strengths = np.array([table.rows[place].strength for place in rows])
        leads: Bools = np.array([index < question.places for index in kept])
        # A row of leader less other for each pair that is kept, and the probability that its order is wrong.
        pairs = [(i, j) for i in np.flatnonzero(leads).tolist() for j in np.flatnonzero(~leads).tolist()]
        self.contrasts, self.weights = np.zeros((len(pairs), len(kept))), np.zeros(len(pairs))
        for row, (i, j) in enumerate(pairs):
            self.contrasts[row, i], self.contrasts[row, j] = 1.0, -1.0
            self.weights[row] = max(_LEAST_DOUBT, doubts[kept[i], kept[j] - question.places])
        self.seats = seats
        self.apart: Bools = np.array([[whose[one] != whose[other] for other in kept] for one in kept])
        self.is_apart = len(set(whose)) == len(whose)

    def take(self) -> list[str]:
        """Return the table of the next block, and add what it will tell."""
        gains = self._gains() if self.is_apart else np.where(self.apart, self._gains(), -1.0)
        best = int(gains.argmax())
        members = [best // len(self.names), best % len(self.names)]
        while len(members) < self.seats:
            added = gains[members].sum(axis=0)
            added[~self.apart[members].all(axis=0)] = -1.0
            members.append(int(added.argmax()))
        for index, a in enumerate(members):
            for b in members[index + 1 :]:
                pull = self.covariance[:, a] - self.covariance[:, b]
                information = float(self._information()[a, b])
                self.covariance -= np.outer(pull, pull) * (information / (1 + information * float(pull[a] - pull[b])))
        return [self.names[member] for member in members]

    def _gains(self) -> Floats:
        """Return by how much a match of each two would lower the weighted variances, shape (names, names)."""
        reach = product(self.contrasts, self.covariance)
        variances = np.einsum("ij,ij->i", reach, self.contrasts)
        pull = reach[:, :, None] - reach[:, None, :]
        diagonal = np.diag(self.covariance)
        variance = np.asarray(diagonal[:, None] + diagonal[None, :] - 2 * self.covariance)
        information = self._information()
        lowered = np.einsum("i,iab->ab", self.weights / np.maximum(variances, 1e-12), pull**2)
        return np.asarray(lowered * information / (1 + information * variance))

    def _information(self) -> Floats:
        """Return what the matches of a block tell of the difference of two that sit in it.

        It is p (1 - p) for each match of two.
        """
        chance = 1 / (1 + np.exp(self.strengths[None, :] - self.strengths[:, None]))
        information = _MATCHES * chance * (1 - chance)
        np.fill_diagonal(information, 0.0)
        return np.asarray(information)


@dataclass(frozen=True, slots=True)
class QuestionStatus:
    """The best so far, and how sure that is.

    `leaders` are the best so far, best first; `contenders` are the others that may belong among them, likeliest first.
    `confidence` is a lower bound of the probability that the leaders are the right ones (Bonferroni over all pairs of a
    leader and another), less what the looks cost: it is 0 before everybody has played, and at least the question's once
    `is_known`. `drifting` are those for whom it is not known although it is as sure as was asked: their results drift
    over time, so that the table may be about the past.
    """

    is_known: bool
    confidence: float
    leaders: tuple[str, ...]
    contenders: tuple[str, ...]
    drifting: tuple[str, ...] = ()


def question_status(
    table: FittedTable,
    question: StoppingQuestion,
    entrants: Collection[str],
    span: float = 1.0,
    results: Results | None = None,
) -> QuestionStatus:
    """Return what the table says among these entrants; others in the table are passed over.

    `span` is how many times as many blocks there may be at the last look as at the first. With the `results` of the
    table, blocks numbered in the order of play, a question with a zone is not answered while the leaders, or as many
    that come next, drift. Raises ResultsError if the question asks for all of them.
    """
    check_question(question, len(entrants))
    places = [place for place, row in enumerate(table.rows) if row.version in entrants]
    doubts = doubts_of(table, places, question)
    missing = sorted(set(entrants) - {table.rows[place].version for place in places})
    doubt = float(doubts.sum()) if question.within is None else paid(float(doubts.sum()), span)
    confidence = 0.0 if missing else max(0.0, 1.0 - doubt)
    names = [table.rows[place].version for place in places]
    leaders, others = names[: question.places], names[question.places :]
    share = (1 - question.confidence) / max(len(others), 1)
    worst = doubts.max(axis=0, initial=0.0)
    order = np.argsort(-worst, kind="stable").tolist()
    contenders = [others[index] for index in order if worst[index] > share]
    is_sure, drifters = confidence >= question.confidence, tuple[str, ...]()
    if is_sure and results is not None and question.within is not None:
        drifters = drifting(results, names[: 2 * question.places])
    return QuestionStatus(is_sure and not drifters, confidence, tuple(leaders), (*contenders, *missing), drifters)


def paid(doubt: float, span: float) -> float:
    """Return the chance that looks over such a `span` of blocks ever show so little doubt where it is unfounded.

    At least `doubt`, at most 1, and the greater the greater `doubt` is; with one look it is `doubt`.
    """
    if doubt >= 0.5:
        return 1.0
    if doubt <= 0.0 or span <= 1.0:
        return max(doubt, 0.0)
    height = NormalDist().inv_cdf(1 - doubt)
    # Below a height of 2 the approximation is poor; there the doubt is too great for any answer.
    steep = max(height, 2.0)
    density = NormalDist().pdf(steep)
    crossed = 0.5 * (steep - 1 / steep) * density * log(span) + 2 * density / steep
    return min(1.0, crossed + max(doubt - NormalDist().cdf(-steep), 0.0))


def doubts_of(table: FittedTable, places: list[int], question: StoppingQuestion) -> Floats:
    """Return P(the other is stronger than the leader by more than the zone) for the rows at `places`.

    Shape (leaders, others). It is 1/2 where the table does not compare the two.
    """
    leaders, others = places[: question.places], places[question.places :]
    pairs = np.ix_(leaders, others)
    stronger = table.stronger[np.ix_(others, leaders)].T
    if question.within:
        strengths = np.array([row.strength for row in table.rows])
        lead = strengths[leaders][:, None] - strengths[others][None, :] + question.within / ELO_PER_UNIT
        beyond = 0.5 * (1 - error_function(lead / np.maximum(table.spread[pairs], 1e-12) / sqrt(2)))
        stronger = np.where(np.isnan(stronger), stronger, beyond)
    return np.asarray(np.nan_to_num(stronger, nan=0.5))


def drifting(results: Results, asked: Collection[str], alarm: float = DRIFT_ALARM) -> tuple[str, ...]:
    """Return those of the `asked` versions that drift, the surest first; blocks are numbered in the order of play."""
    least = NormalDist().inv_cdf(1 - alarm / 2 / max(len(asked), 1))
    trends = dict(zip(results.versions, trends_of(results).tolist(), strict=True))
    found = [version for version in asked if abs(trends.get(version, 0.0)) > least]
    return tuple(sorted(found, key=lambda version: (-abs(trends[version]), version)))


def trends_of(results: Results) -> Floats:
    """Return the trend of each version in standard errors: above 0 where it gets better, 0 where nothing tells."""
    size = len(results.versions)
    pairs, times, scores = _meetings(results)
    if not len(pairs):
        return np.zeros(size)
    names, where, met = np.unique(pairs, return_inverse=True, return_counts=True)
    mean_score = np.bincount(where, weights=scores) / met
    mean_time = np.bincount(where, weights=times.astype(np.float64)) / met
    # The mean of a pair takes a part of what each of its scores shows.
    kept = np.sqrt(met / np.maximum(met - 1, 1))[where]
    parts = (scores - mean_score[where]) * (times - mean_time[where])
    firsts, seconds = (names // size)[where], (names % size)[where]
    totals = np.bincount(firsts, weights=parts, minlength=size) - np.bincount(seconds, weights=parts, minlength=size)
    # What a version showed in a block, against all whom it met there.
    blocks = int(times.max()) + 1
    cells = np.concatenate([firsts * blocks + times, seconds * blocks + times])
    ones, place, _ = np.unique(cells, return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=np.concatenate([parts * kept, -parts * kept]))
    squares = np.bincount(ones // blocks, weights=sums * sums, minlength=size)
    return np.asarray(totals / np.sqrt(np.maximum(squares, 1e-300)))


def _meetings(results: Results) -> tuple[Ints, Ints, Floats]:
    """Return each pair that met in a block, the place of the block in time, and the score of the first of the pair."""
    size = len(results.versions)
    order = distinct(results.blocks)
    times = np.searchsorted(order, results.blocks)
    cells, points = [], []
    for left, right in combinations(range(results.seats.shape[1]), 2):
        one, other = results.seats[:, left].astype(np.int64), results.seats[:, right].astype(np.int64)
        gap = np.sign(results.ranks[:, right].astype(np.int64) - results.ranks[:, left])
        is_met, first = one != other, np.minimum(one, other)
        cell = (first * size + np.maximum(one, other)) * len(order) + times
        cells.append(cell[is_met])
        points.append(np.where(one == first, gap, -gap)[is_met])
    found, where, met = np.unique(np.concatenate(cells), return_inverse=True, return_counts=True)
    scores = 0.5 + np.bincount(where, weights=np.concatenate(points).astype(np.float64), minlength=len(found)) / met / 2
    return found // len(order), found % len(order), scores
