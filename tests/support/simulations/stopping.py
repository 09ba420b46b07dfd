"""Playing where information is worth most, against a round robin; the official table of many fields at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from ratings.statistics.block_allocation import first_blocks, next_blocks, question_status
from ratings.statistics.official_table import ELO_PER_UNIT, FittedTable, error_function, official_table
from ratings.statistics.results import Floats, Ints, Results
from ratings.statistics.stopping_question import StoppingQuestion, parse_question
from ratings.values.statistics import OfficialRow
from tests.support.simulations.fields import Field, all_tables, play

_WIDE = 1 / 9
"""One over the variance of the wide prior."""
_TRUSTED_BLOCKS = 20.0
_HALVES = np.array([0.5, -0.5, 0.0])
"""What an outcome says of the difference of two strengths: the first wins, the second wins, a tie."""


class Blocks:
    """How often each pair of each field had each outcome of a block: [field, pair, with the first ahead, behind].

    A pair's first sits first in one match and second in the other; an outcome is 0 (it wins), 1 (it loses) or 2.
    """

    def __init__(self, fields: int, bots: int) -> None:
        self.bots = bots
        self.ones, self.others = np.triu_indices(bots, 1)
        self.place = np.zeros((bots, bots), np.int64)
        self.place[self.ones, self.others] = self.place[self.others, self.ones] = np.arange(len(self.ones))
        self.counts: Floats = np.zeros((fields, len(self.ones), 3, 3))

    def add(self, field: int, results: Results) -> None:
        """Count the blocks of a field; as many first matches as second ones, in the same order."""
        half = len(results.seats) // 2
        seats, ranks = np.asarray(results.seats), np.asarray(results.ranks)
        outcomes = np.where(ranks[:, 0] == ranks[:, 1], 2, np.where(ranks[:, 0] < ranks[:, 1], 0, 1))
        turned = np.array([1, 0, 2])
        first, second = outcomes[:half], turned[outcomes[half:]]  # both as seen by who sat first in the first match
        is_one = seats[:half, 0] < seats[:half, 1]
        when_first = np.where(is_one, first, turned[second])
        when_second = np.where(is_one, second, turned[first])
        pairs = self.place[seats[:half, 0], seats[:half, 1]]
        np.add.at(self.counts[field], (pairs, when_first, when_second), 1.0)


@dataclass(frozen=True, slots=True)
class Tables:
    """Of each field: strengths, the covariance by the model, and the spread of each two, bots in their own order."""

    strengths: Floats
    covariance: Floats
    spread: Floats

    def table(self, field: int, names: Sequence[str], matches: int) -> FittedTable:
        """Return one of them as the official table of a field in which everybody is compared."""
        order = np.argsort(-self.strengths[field], kind="stable")
        square = np.ix_(order, order)
        strengths, spread = self.strengths[field][order], self.spread[field][square]
        gap = strengths[:, None] - strengths[None, :]
        rows = tuple(
            _row(names[place], rank, strength)
            for rank, (place, strength) in enumerate(zip(order.tolist(), strengths.tolist(), strict=True), start=1)
        )
        return FittedTable(
            rows=rows,
            seats=(),
            stronger=0.5 * (1 + error_function(gap / np.maximum(spread, 1e-12) / sqrt(2))),
            spread=spread,
            covariance=self.covariance[field][square],
            confidence=0.95,
            matches=matches,
            blocks=matches // 2,
            repeats=0,
            groups=1,
            dispersion=1.0,
        )


def _row(name: str, rank: int, strength: float) -> OfficialRow:
    return OfficialRow(
        version=name,
        bot="",
        strength=strength,
        low=-inf,
        high=inf,
        elo=0.0,
        elo_low=-inf,
        elo_high=inf,
        rank=rank,
        best_rank=1,
        worst_rank=rank,
        matches=0,
        is_anchor=False,
        group=0,
        above_next=None,
        stronger=(),
    )


class _Fitter:
    """The fit of some fields; parameters are the strengths, the effects of two seats, and log delta(2)."""

    def __init__(self, blocks: Blocks, fields: Ints) -> None:
        self.bots, self.counts = blocks.bots, blocks.counts[fields]
        self.size = self.bots + 3
        pairs = len(blocks.ones)
        self.contrast = np.zeros((2, pairs, self.size))
        for seating, sign in enumerate((1.0, -1.0)):
            self.contrast[seating, np.arange(pairs), blocks.ones] = 1.0
            self.contrast[seating, np.arange(pairs), blocks.others] = -1.0
            self.contrast[seating, :, self.bots] = sign
            self.contrast[seating, :, self.bots + 1] = -sign
        self.outcomes = (self.counts.sum(axis=3), self.counts.sum(axis=2))
        self.has_ties = sum(one[:, :, 2].sum(axis=1) for one in self.outcomes) > 0
        self.blocks = self.counts.sum(axis=(1, 2, 3))

    def tables(self) -> Tables:
        point = np.zeros((len(self.counts), self.size))
        prior = self._prior(np.full(len(self.counts), 9.0))
        point, precision = self._climb(point, prior, 1e-4)
        for _ in range(2):
            prior = self._prior(self._variance(point, precision, prior))
            point, precision = self._climb(point, prior, 1e-9)
        return self._unsure(point, precision, prior)

    def _prior(self, variances: Floats) -> Floats:
        found = np.full((len(variances), self.size), _WIDE)
        found[:, : self.bots] = (1 / variances)[:, None]
        return found

    def _chances(self, point: Floats, seating: int) -> Floats:
        gap = point @ self.contrast[seating].T
        tie = np.broadcast_to(np.where(self.has_ties, point[:, -1], -700.0)[:, None], gap.shape)
        logs = np.stack([gap / 2, -gap / 2, tie], axis=-1)
        chances = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=-1, keepdims=True))

    def _evaluate(self, point: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the log likelihood, and its information."""
        gradient, information = np.zeros_like(point), np.zeros((*point.shape, self.size))
        for seating, seen in enumerate(self.outcomes):
            chances, contrast = self._chances(point, seating), self.contrast[seating]
            played = seen.sum(axis=-1)
            mean = chances @ _HALVES
            gradient += (seen @ _HALVES - played * mean) @ contrast
            gradient[:, -1] += (seen[..., 2] - played * chances[..., 2]).sum(axis=1)
            weight = played * (chances @ _HALVES**2 - mean**2)
            information += contrast.T @ (weight[..., None] * contrast)
            across = -(played * chances[..., 2] * mean) @ contrast
            information[:, :, -1] += across
            information[:, -1, :] += across
            information[:, -1, -1] += (played * chances[..., 2] * (1 - chances[..., 2])).sum(axis=1)
        gradient[~self.has_ties, -1] = 0.0
        return gradient, information

    def _climb(self, point: Floats, prior: Floats, tolerance: float) -> tuple[Floats, Floats]:
        for _ in range(100):
            gradient, information = self._evaluate(point)
            precision = information + prior[:, :, None] * np.eye(self.size)
            step = np.linalg.solve(precision, (gradient - prior * point)[..., None])[..., 0]
            longest = np.abs(step).max(axis=1, keepdims=True)
            point = point + step * np.where(longest < 0.5, 1.0, np.minimum(1.0, 1.0 / np.maximum(longest, 1e-9)))
            if longest.max() < tolerance:
                return point, precision
        raise AssertionError("the fit does not converge")

    def _variance(self, point: Floats, precision: Floats, prior: Floats) -> Floats:
        bots = self.bots
        known = precision - prior[:, :, None] * np.eye(self.size)
        pull = (precision @ point[..., None])[..., 0]
        across = known[:, :bots, bots:]
        carried = across @ np.linalg.inv(known[:, bots:, bots:] + _WIDE * np.eye(3))
        values, basis = np.linalg.eigh(known[:, :bots, :bots] - carried @ across.transpose(0, 2, 1))
        turned = (basis.transpose(0, 2, 1) @ (pull[:, :bots] - (carried @ pull[:, bots:, None])[..., 0])[..., None])[
            ..., 0
        ]
        variance = np.full(len(point), 9.0)
        for _ in range(50):
            spread = 1 / (values + 1 / variance[:, None])
            variance = np.minimum(((turned * spread) ** 2 + spread).sum(axis=1) / (bots - 0.5), 9.0)
        return variance

    def _meat(self, point: Floats) -> Floats:
        """Return the sum over blocks of the outer product of a block's score with itself."""
        scores = []
        for seating in (0, 1):
            chances = self._chances(point, seating)
            scores.append((_HALVES - (chances @ _HALVES)[..., None], np.eye(3)[2] - chances[..., 2:]))
        (one, tie), (other, other_tie) = scores
        gap = one[..., :, None] + other[..., None, :]
        seat = one[..., :, None] - other[..., None, :]
        ties = tie[..., :, None] + other_tie[..., None, :]
        ties[~self.has_ties] = 0.0
        pairs = self.contrast[0].copy()
        pairs[:, self.bots :] = 0.0
        seats = self.contrast[0] - pairs
        last = np.zeros_like(pairs)
        last[:, -1] = 1.0
        parts = ((gap, pairs), (seat, seats), (ties, last))
        meat = np.zeros((len(point), self.size, self.size))
        for left, mine in parts:
            for right, theirs in parts:
                weight = (self.counts * left * right).sum(axis=(2, 3))
                meat += mine.T @ (weight[..., None] * theirs)
        return meat

    def _unsure(self, point: Floats, precision: Floats, prior: Floats) -> Tables:
        bots, known = self.bots, np.linalg.inv(precision)
        free = self.size - 1 + self.has_ties.astype(float)
        enough = self.blocks > 2 * free
        correction = np.where(enough, self.blocks / np.maximum(self.blocks - free, 1.0), 0.0)[:, None, None]
        meat = self._meat(point) * correction
        evidence = self._evidence()
        expected = np.diagonal(precision, axis1=1, axis2=2)[:, :bots] - prior[:, :bots]
        raw = (evidence * np.diagonal(meat, axis1=1, axis2=2)[:, :bots]).sum(axis=1) / (evidence * expected).sum(axis=1)
        dispersion = np.maximum(0.25, 1 + (raw - 1) * self.blocks / (self.blocks + _TRUSTED_BLOCKS))
        model = known * np.where(enough, dispersion, 1.0)[:, None, None]
        sandwich = known @ (meat + prior[:, :, None] * np.eye(self.size)) @ known
        trust = np.where(enough[:, None], evidence / (evidence + _TRUSTED_BLOCKS), 0.0)
        both: Floats = np.minimum(trust[:, :, None], trust[:, None, :])
        variance = both * _differences(sandwich[:, :bots, :bots]) + (1 - both) * _differences(model[:, :bots, :bots])
        spread: Floats = np.sqrt(np.maximum(variance, 0.0))
        return Tables(point[:, :bots], np.asarray(model[:, :bots, :bots]), spread)

    def _evidence(self) -> Floats:
        """Return the blocks' worth of the rarer of beating and being beaten, of each bot."""
        won, played = (np.zeros((len(self.counts), self.bots)) for _ in range(2))
        first, second = (np.maximum(sign * self.contrast[0][:, : self.bots], 0.0) for sign in (1.0, -1.0))
        for seen in self.outcomes:
            ahead, matches = seen @ np.array([1.0, 0.0, 0.5]), seen.sum(axis=-1)
            won += ahead @ first + (matches - ahead) @ second
            played += matches @ (first + second)
        return np.minimum(won, played - won) / 2


def tables_of(blocks: Blocks, fields: Sequence[int]) -> Tables:
    """Return the tables of these fields, in their order."""
    return _Fitter(blocks, np.array(fields, np.int64)).tables()


def _differences(covariance: NDArray[np.floating]) -> Floats:
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    return np.asarray(variances[:, :, None] + variances[:, None, :] - 2 * covariance)


BOTS, SEATS = 16, 2
QUESTION = parse_question("top 3 known at 95%")
WAVE = 8
"""Blocks planned at once, as in a tournament."""
LATER = 40
"""Once so many times `WAVE` blocks are played, a wave is this part of them: looks that lie so close together show the
same, and cost a fit each."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field and what is asked about it: the best `places`, at `confidence`, within so many Elo."""

    name: str
    places: int = 1
    best: tuple[float, ...] = ()
    """The strengths of the best, in Elo; the others are drawn below the last of them, by 43 Elo or more."""
    deviation: float = 0.7
    is_ladder: bool = False
    """Whether each is 20 Elo below the next."""
    below: float = 0.0
    """By how many Elo one is weaker than the best."""
    bots: int = BOTS
    seats: int = SEATS
    tie: float = -1.0
    """log delta(2): at -1 a seventh of the matches of equals are ties, at 1.5 two thirds."""
    seat: float = 0.1
    """By how much the first seat is better than the mean; 0.8 are 139 Elo."""
    luck: float = 0.0
    """What a block's opening does to each bot, its standard deviation."""
    confidence: float = 0.95
    within: float = 10.0


NEAR = (0.0, -20.0)
KINDS = (
    Kind("drawn, 122 Elo wide"),
    Kind("drawn, 122 Elo wide: top 3", 3),
    Kind("drawn, 17 Elo wide", deviation=0.1),
    Kind("all equal", deviation=0.0),
    Kind("two best 20 Elo apart", best=NEAR),
    Kind("two best 11 Elo apart", best=(0, -11)),
    Kind("two best 5 Elo apart", best=(0, -5)),
    Kind("two best equal", best=(0, 0)),
    Kind("third and fourth 20 Elo apart: top 3", 3, (104, 70, 0, -20)),
    Kind("third and fourth 11 Elo apart: top 3", 3, (104, 70, 0, -11)),
    Kind("third and fourth 5 Elo apart: top 3", 3, (104, 70, 0, -5)),
    Kind("each 20 Elo below the next: top 3", 3, is_ladder=True),
    Kind("20 Elo apart, one 2,000 below", best=NEAR, below=2000),
    Kind("20 Elo apart, 4 bots", best=NEAR, bots=4),
    Kind("20 Elo apart, 6 bots", best=NEAR, bots=6),
    Kind("20 Elo apart, 3 seats", best=NEAR, seats=3),
    Kind("20 Elo apart, 4 seats", best=NEAR, seats=4),
    Kind("20 Elo apart, two of three are ties", best=NEAR, tie=1.5),
    Kind("20 Elo apart, a strong first seat", best=NEAR, seat=0.8),
    Kind("20 Elo apart, luck of the block", best=NEAR, luck=0.8),
    Kind("20 Elo apart, at 90 %", best=NEAR, confidence=0.9),
    Kind("20 Elo apart, at 99 %", best=NEAR, confidence=0.99),
    Kind("20 Elo apart, within 30 Elo", best=NEAR, within=30),
    Kind("40 Elo apart, no zone", best=(0, -40), within=0),
    Kind("20 Elo apart, no zone", best=NEAR, within=0),
    Kind("5 Elo apart, no zone", best=(0, -5), within=0),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said after so many matches: known or not, and whether nobody named is beyond the zone."""

    is_known: bool
    is_right: bool
    matches: int
    confidence: float


def strengths_of(kind: Kind, random: np.random.Generator) -> Floats:
    """The strengths of a field of this kind, in a drawn order, their mean 0."""
    strengths: Floats = random.normal(0.0, kind.deviation, kind.bots)
    if kind.is_ladder:
        strengths = np.arange(kind.bots, dtype=np.float64) * (-20 / ELO_PER_UNIT)
    if kind.best:
        strengths = (kind.best[-1] - 43) / ELO_PER_UNIT - np.abs(strengths)
        strengths[: len(kind.best)] = np.array(kind.best) / ELO_PER_UNIT
    if kind.below:
        strengths[-1] = strengths.max() - kind.below / ELO_PER_UNIT
    random.shuffle(strengths)
    return np.asarray(strengths - strengths.mean())


@dataclass(slots=True)
class _Run:
    """A field that plays on, with what follows from its seed."""

    field: Field
    random: np.random.Generator
    seed: int
    blocks: list[tuple[str, ...]]
    played: int = 0
    matches: int = 0
    answer: Answer | None = None

    def wave(self) -> Results:
        """Play the blocks that were chosen."""
        results = _and_play(None, self.field, self.blocks, self.random)
        self.played += len(self.blocks)
        self.matches += len(results.seats)
        return results


def until_known(kind: Kind, most: int, seeds: Sequence[int]) -> list[Answer]:
    """Play fields of a kind in waves until its question is answered, or so many blocks are played; each has a seed."""
    runs = [_begun(kind, seed) for seed in seeds]
    at_first_look = len(runs[0].blocks)
    tables = _tables_of_two(runs) if kind.seats == 2 else _tables_one_by_one(runs)
    question = StoppingQuestion(kind.places, kind.confidence, kind.within)
    while open_runs := [run for run in runs if run.answer is None]:
        for run, table in zip(open_runs, tables(open_runs), strict=True):
            found = question_status(table, question, run.field.names, most / at_first_look)
            if found.is_known or run.played >= most:
                run.answer = Answer(
                    found.is_known, _is_within(run.field, found.leaders, kind.within), run.matches, found.confidence
                )
                continue
            wave = min(max(WAVE, run.played // LATER), most - run.played)
            run.blocks = next_blocks(table, question, run.field.names, kind.seats, wave, run.seed)
    return [run.answer for run in runs if run.answer is not None]


def _begun(kind: Kind, seed: int) -> _Run:
    random = np.random.default_rng((seed, 9))
    effects = np.linspace(kind.seat, -kind.seat, kind.seats)
    field = Field(strengths_of(kind, random), effects, kind.tie - 1.2 * np.arange(kind.seats - 1.0), kind.luck)
    return _Run(field, random, seed, first_blocks(field.names, kind.seats, seed))


_TablesOf = Callable[[list[_Run]], list[FittedTable]]


def _tables_one_by_one(runs: list[_Run]) -> _TablesOf:
    """Return what plays the next wave of some runs, and gives the table of all their matches."""
    played: dict[int, Results] = {}

    def play_on(some: list[_Run]) -> list[FittedTable]:
        for run in some:
            wave = run.wave()
            played[run.seed] = joined(played[run.seed], wave) if run.seed in played else wave
        return [official_table(played[run.seed]) for run in some]

    return play_on


def _tables_of_two(runs: list[_Run]) -> _TablesOf:
    """Return the same for two seats, where the tables of all runs are made at once."""
    blocks = Blocks(len(runs), len(runs[0].field.names))
    place = {run.seed: number for number, run in enumerate(runs)}

    def play_on(some: list[_Run]) -> list[FittedTable]:
        for run in some:
            blocks.add(place[run.seed], run.wave())
        found = tables_of(blocks, [place[run.seed] for run in some])
        return [found.table(number, run.field.names, run.matches) for number, run in enumerate(some)]

    return play_on


def _is_within(field: Field, leaders: Sequence[str], within: float) -> bool:
    """Whether none of the leaders is weaker by more than the zone than the best of the others."""
    strength = dict(zip(field.names, field.strengths.tolist(), strict=True))
    best_other = max(value for name, value in strength.items() if name not in leaders)
    return bool(min(strength[name] for name in leaders) >= best_other - within / ELO_PER_UNIT - 1e-9)


def _and_play(
    results: Results | None, field: Field, blocks: Sequence[tuple[str, ...]], random: np.random.Generator
) -> Results:
    place = {name: index for index, name in enumerate(field.names)}
    wave = play(field, np.array([[place[name] for name in block] for block in blocks]), random)
    return wave if results is None else joined(results, wave)


def field_of(seed: int) -> Field:
    """Sixteen bots, some ties, a small advantage of the first seat."""
    strengths = np.random.default_rng(seed).normal(0.0, 0.7, BOTS)
    return Field(strengths - strengths.mean(), np.array([0.1, -0.1]), np.array([-1.0]))


def is_right(table: FittedTable, field: Field) -> bool:
    """Whether the first three are the strongest three."""
    best = np.argsort(-field.strengths)[: QUESTION.places]
    return {row.version for row in table.rows[: QUESTION.places]} == {field.names[index] for index in best}


def round_robin(field: Field, rounds: int, seed: int) -> bool:
    """Whether a full round robin finds the top three."""
    random = np.random.default_rng((seed, 1))
    return is_right(official_table(play(field, all_tables(BOTS, SEATS, rounds), random)), field)


def joined(one: Results, other: Results) -> Results:
    """Both, the blocks of the second after those of the first."""
    shift = int(one.blocks.max()) + 1
    return Results(
        one.versions,
        np.concatenate([one.seats, other.seats]),
        np.concatenate([one.ranks, other.ranks]),
        np.concatenate([one.blocks, other.blocks + shift]),
        np.concatenate([one.plans, other.plans]),
    )


def adaptive(field: Field, budget: int, seed: int) -> bool:
    """Whether playing in waves, with so many matches at most, finds the top three."""
    random = np.random.default_rng((seed, 2))
    results = _and_play(None, field, first_blocks(field.names, SEATS, seed), random)
    while True:
        table = official_table(results)
        if question_status(table, QUESTION, field.names).is_known or len(results.seats) + SEATS * WAVE > budget:
            return is_right(table, field)
        blocks = next_blocks(table, QUESTION, field.names, SEATS, WAVE, seed)
        results = _and_play(results, field, blocks, random)
