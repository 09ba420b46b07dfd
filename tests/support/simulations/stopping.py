"""Playing where information is worth most, against a round robin; the official table of many fields at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ratings.statistics.block_allocation import first_blocks, next_blocks, question_status
from ratings.statistics.official_table import ELO_PER_UNIT, FittedTable, official_table
from ratings.statistics.results import Floats, Results
from ratings.statistics.stopping_question import StoppingQuestion, parse_question
from tests.support.simulations.fields import Field, all_tables, play

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
    learns: float = 0.0
    """By how many Elo the last of `best`, or half of all bots by chance, improves over the first `LEARNING` blocks."""


LEARNING = 1000
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
    Kind("half of all learn 100 Elo", learns=100),
    Kind("half of all learn 200 Elo", learns=200),
    Kind("the second of two learns 100 Elo", best=NEAR, learns=100),
    Kind("the second of two learns 200 Elo", best=NEAR, learns=200),
    Kind("the fourth learns 150 Elo", best=(0, -20, -40, -60), learns=150),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said after so many matches: known or not, and whether nobody named is beyond the zone then.

    `drift` counts the looks at which it would have been known if nobody had drifted; the last may be one.
    """

    is_known: bool
    is_right: bool
    matches: int
    confidence: float
    drift: int = 0
    ends_drifting: bool = False


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


def until_known(kind: Kind, most: int, seeds: Sequence[int]) -> list[Answer]:
    """Play fields of a kind in waves until its question is answered, or so many blocks are played; each has a seed."""
    return [_until_known(kind, most, seed) for seed in seeds]


def _until_known(kind: Kind, most: int, seed: int) -> Answer:
    random = np.random.default_rng((seed, 9))
    effects = np.linspace(kind.seat, -kind.seat, kind.seats)
    field = Field(strengths_of(kind, random), effects, kind.tie - 1.2 * np.arange(kind.seats - 1.0), kind.luck)
    question = StoppingQuestion(kind.places, kind.confidence, kind.within)
    learned = _learned(kind, field, seed)
    blocks = first_blocks(field.names, kind.seats, seed)
    at_first_look, played, drift, results = len(blocks), 0, 0, None
    while True:
        now = replace(field, strengths=field.strengths + min(played / LEARNING, 1.0) * learned)
        results = _and_play(results, now, blocks, random)
        played += len(blocks)
        table = official_table(results)
        found = question_status(table, question, field.names, most / at_first_look, results)
        drift += bool(found.drifting)
        if found.is_known or played >= most:
            is_right = _is_within(now, found.leaders, kind.within)
            confidence, ends_drifting = found.confidence, bool(found.drifting)
            return Answer(found.is_known, is_right, len(results.seats), confidence, drift, ends_drifting)
        wave = min(max(WAVE, played // LATER), most - played)
        blocks = next_blocks(table, question, field.names, kind.seats, wave, seed)


def _learned(kind: Kind, field: Field, seed: int) -> Floats:
    """Return what each gains in strength over the first `LEARNING` blocks."""
    learners = np.zeros(kind.bots, np.bool_)
    if kind.best:
        learners[np.argsort(-field.strengths)[len(kind.best) - 1]] = True
    else:
        learners[np.random.default_rng((seed, 10)).permutation(kind.bots)[: kind.bots // 2]] = True
    return np.where(learners, kind.learns / ELO_PER_UNIT, 0.0)


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
