"""Playing where information is worth most, against a full round robin: who names the best three of 16 rightly?

The seed of a field is its number. `python -m benchmarks.stopping` runs it at length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.statistics.official.results import Results
from ratings.statistics.official.table import OfficialTable, official_table
from ratings.statistics.stopping.choosing import first_blocks, next_blocks
from ratings.statistics.stopping.question import parse_question
from ratings.statistics.stopping.standing import standing
from tests.support.simulations.fields import Field, all_tables, play

BOTS, SEATS = 16, 2
QUESTION = parse_question("top 3 known at 95%")
WAVE = 12
"""Blocks planned at once."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """An adaptive tournament: right with 60 % of the matches or not; after how many it knew, and if it was right."""

    is_right: bool
    is_known: bool
    known_matches: int
    known_is_right: bool


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


def adaptive(field: Field, budget: int, limit: int, seed: int) -> Adaptive:
    """Play in waves: `budget` matches for the accuracy, on to `limit` until the answer is known."""
    random = np.random.default_rng((seed, 2))
    names = field.names
    place = {name: index for index, name in enumerate(names)}
    blocks = first_blocks(names, SEATS, seed)
    results: Results | None = None
    right: bool | None = None
    while True:
        wave = play(field, np.array([[place[name] for name in block] for block in blocks]), random)
        results = wave if results is None else joined(results, wave)
        table = official_table(results)
        known = standing(table, QUESTION, names)
        if right is None and (known.is_known or len(results.seats) + SEATS * WAVE > budget):
            right = is_right(table, field)
        if right is not None and (known.is_known or len(results.seats) + SEATS * WAVE > limit):
            return Adaptive(right, known.is_known, len(results.seats), is_right(table, field))
        blocks = next_blocks(table, QUESTION, names, SEATS, WAVE, seed)
