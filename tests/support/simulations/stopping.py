"""Playing where information is worth most, against a full round robin: who names the best three of 16 rightly?

The seed of a field is its number. `python -m benchmarks.stopping` runs it at length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.statistics.official.results import Floats, Results
from ratings.statistics.official.table import ELO_PER_UNIT, OfficialTable, official_table
from ratings.statistics.stopping.choosing import first_blocks, next_blocks
from ratings.statistics.stopping.question import Question, parse_question
from ratings.statistics.stopping.standing import standing
from tests.support.simulations.fields import Field, all_tables, play

BOTS, SEATS = 16, 2
QUESTION = parse_question("top 3 known at 95%")
WAVE = 12
"""Blocks planned at once."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field of sixteen bots, of which the best `places` are asked for."""

    name: str
    places: int
    best: tuple[float, ...] = ()
    """The strengths of the best, in Elo; the others are drawn below the last of them, by 43 Elo or more."""
    deviation: float = 0.7
    is_ladder: bool = False
    """Whether each is 20 Elo below the next."""
    below: float = 0.0
    """By how many Elo one is weaker than the best."""


KINDS = (
    Kind("drawn, 122 Elo wide: winner", 1),
    Kind("drawn, 122 Elo wide: top 3", 3),
    Kind("drawn, 17 Elo wide: winner", 1, deviation=0.1),
    Kind("all equal: winner", 1, deviation=0.0),
    Kind("two best 20 Elo apart: winner", 1, (0, -20)),
    Kind("two best 5 Elo apart: winner", 1, (0, -5)),
    Kind("third and fourth 20 Elo apart: top 3", 3, (104, 70, 0, -20)),
    Kind("third and fourth 5 Elo apart: top 3", 3, (104, 70, 0, -5)),
    Kind("each 20 Elo below the next: top 3", 3, is_ladder=True),
    Kind("two best 20 Elo apart, one 2,000 below: winner", 1, (0, -20), below=2000),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said after so many matches: known or not, and whether nobody named is beyond the zone."""

    is_known: bool
    is_right: bool
    matches: int


def strengths_of(kind: Kind, random: np.random.Generator) -> Floats:
    """The strengths of a field of this kind, in a drawn order, their mean 0."""
    strengths: Floats = random.normal(0.0, kind.deviation, BOTS)
    if kind.is_ladder:
        strengths = np.arange(BOTS, dtype=np.float64) * (-20 / ELO_PER_UNIT)
    if kind.best:
        strengths = (kind.best[-1] - 43) / ELO_PER_UNIT - np.abs(strengths)
        strengths[: len(kind.best)] = np.array(kind.best) / ELO_PER_UNIT
    if kind.below:
        strengths[-1] = strengths.max() - kind.below / ELO_PER_UNIT
    random.shuffle(strengths)
    return np.asarray(strengths - strengths.mean())


def until_known(kind: Kind, limit: int, seed: int, *, within: float = 10.0) -> Answer:
    """Play in waves until the question of this kind is answered at 95 %, or so many matches are played."""
    random = np.random.default_rng((seed, 9))
    field = Field(strengths_of(kind, random), np.array([0.1, -0.1]), np.array([-1.0]))
    question = Question(kind.places, 0.95, within)
    rings = first_blocks(field.names, SEATS, seed)
    results: Results | None = None
    blocks = rings
    while True:
        results = _and_play(results, field, blocks, random)
        table = official_table(results)
        found = standing(table, question, field.names, limit / SEATS / len(rings))
        if found.is_known or len(results.seats) + SEATS * WAVE > limit:
            return Answer(found.is_known, _is_within(field, found.leaders, within), len(results.seats))
        blocks = next_blocks(table, question, field.names, SEATS, WAVE, seed)


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


def is_right(table: OfficialTable, field: Field) -> bool:
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
        if standing(table, QUESTION, field.names).is_known or len(results.seats) + SEATS * WAVE > budget:
            return is_right(table, field)
        blocks = next_blocks(table, QUESTION, field.names, SEATS, WAVE, seed)
        results = _and_play(results, field, blocks, random)
