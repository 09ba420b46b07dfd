"""Whether playing where information is worth most answers "who are the best three of 16?" with fewer matches.

    python -m benchmarks.stopping                       # 200 fields of two seats; a few minutes
    python -m benchmarks.stopping --fields 50 --rounds 8

Each field plays a full round robin (every pair in `rounds` blocks of two matches), and adaptively with 60 % of its
matches; the accuracy is the share of fields whose true top 3 is the table's. Then "top 3 known at 95%" is played until
it is known or the round robin's matches are used up: how many were needed, and how often was the answer right? The seed
of a field is its number.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.fields import Field, all_tables, play
from ratings.statistics.official.results import Results
from ratings.statistics.official.table import OfficialTable, official_table
from ratings.statistics.stopping.choosing import first_blocks, next_blocks
from ratings.statistics.stopping.question import parse_question
from ratings.statistics.stopping.standing import standing

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
        np.concatenate([one.digests, other.digests]),
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both; 1 if adaptive play with 60 % of the matches is less accurate than the round robin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    matches = options.rounds * BOTS * (BOTS - 1)
    full = sum(round_robin(field_of(seed), options.rounds, seed) for seed in range(options.fields))
    print(f"round robin, {matches} matches: top 3 right in {full} of {options.fields} fields", flush=True)
    runs = [adaptive(field_of(seed), matches * 6 // 10, matches, seed) for seed in range(options.fields)]
    right = sum(run.is_right for run in runs)
    print(f"adaptive, at most {matches * 6 // 10} matches: top 3 right in {right} of {options.fields} fields")
    known = [run for run in runs if run.is_known]
    correct = sum(run.known_is_right for run in known)
    mean = sum(run.known_matches for run in runs) / len(runs)
    print(
        f"known at 95% within {matches} matches: {len(known)} fields, right in {correct}; {mean:.0f} matches on average"
    )
    return right < full


if __name__ == "__main__":
    sys.exit(main())
