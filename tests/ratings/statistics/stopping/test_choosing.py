"""Adaptive play: what is known, and which blocks come next."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.official.groups import groups_of
from ratings.statistics.official.table import FittedTable, official_table
from ratings.statistics.stopping.choosing import first_blocks, next_blocks
from ratings.statistics.stopping.question import StoppingQuestion
from ratings.statistics.stopping.status import question_status
from tests.support.simulations.fields import Field, all_tables, drawn_tables, play
from tests.support.simulations.stopping import adaptive, field_of, round_robin

TOP_3 = StoppingQuestion(3, 0.95)


def field(seats: int = 2, bots: int = 12) -> Field:
    return Field(np.linspace(1.5, -1.5, bots), np.zeros(seats), np.full(seats - 1, -1.0))


def table_of(field: Field, blocks: int, seed: int = 1) -> FittedTable:
    random = np.random.default_rng(seed)
    return official_table(play(field, drawn_tables(random, len(field.strengths), field.seats, blocks), random))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("bots", [5, 7, 12])
def test_the_first_blocks_connect_everybody(seats: int, bots: int) -> None:
    names = [f"bot{index}" for index in range(bots)]
    blocks = first_blocks(names, seats, seed=3)
    sitting = np.array([[names.index(name) for name in block] for block in blocks])
    assert groups_of(sitting, bots).max() == 0
    assert all(len(set(block)) == seats for block in blocks)
    times = Counter(name for block in blocks for name in block)
    assert max(times.values()) - min(times.values()) <= 2
    assert blocks == first_blocks(list(reversed(names)), seats, seed=3)


def test_little_is_known_after_few_matches_and_all_after_many() -> None:
    few = question_status(table_of(field(), 12), TOP_3, field().names)
    many = question_status(table_of(field(), 3000), TOP_3, field().names)
    assert not few.is_known
    assert few.contenders
    assert many.is_known
    assert many.leaders == ("bot000", "bot001", "bot002")
    assert many.confidence >= 0.95
    assert many.contenders == ()


def test_nothing_is_known_while_an_entrant_has_not_played() -> None:
    found = question_status(table_of(field(), 3000), TOP_3, [*field().names, "late"])
    assert not found.is_known
    assert found.confidence == 0.0
    assert "late" in found.contenders


def test_those_who_left_are_passed_over() -> None:
    found = question_status(table_of(field(), 3000), TOP_3, field().names[1:])
    assert found.leaders == ("bot001", "bot002", "bot003")


@pytest.mark.parametrize("seats", [2, 4])
def test_the_next_blocks_are_played_where_it_is_undecided(seats: int) -> None:
    true = field(seats)
    table = table_of(true, 400)
    blocks = next_blocks(table, TOP_3, true.names, seats, 30, seed=1)
    assert len(blocks) == 30
    assert all(len(set(block)) == seats for block in blocks)
    times = Counter(name for block in blocks for name in block)
    border = sum(times[name] for name in ("bot002", "bot003"))
    assert border > sum(times[name] for name in ("bot009", "bot010", "bot011"))
    assert blocks == next_blocks(table, TOP_3, list(reversed(true.names)), seats, 30, seed=1)


def test_an_entrant_that_has_not_played_comes_first() -> None:
    blocks = next_blocks(table_of(field(), 100), TOP_3, [*field().names, "late"], 2, 5, seed=1)
    assert "late" in blocks[0]
    assert len(blocks) == 5


def test_before_the_first_match_tables_are_drawn() -> None:
    empty = np.zeros((0, 0))
    table = FittedTable((), (), empty, empty, empty, 0.95, 0, 0, 0, 0, 1.0)
    blocks = next_blocks(table, TOP_3, field().names, 3, 20, seed=1)
    assert len(blocks) == 20
    assert all(len(set(block)) == len(block) == 3 for block in blocks)


OWNERS = {name: f"owner{number // 3}" for number, name in enumerate(field().names)}
"""Three bots each of four owners."""


@pytest.mark.parametrize("seats", [2, 4])
def test_two_of_one_owner_never_sit_together_and_every_table_is_full(seats: int) -> None:
    names = field().names
    plans = (
        first_blocks(names, seats, seed=2, owners=OWNERS),
        next_blocks(table_of(field(seats), 60), TOP_3, names, seats, 20, seed=1, owners=OWNERS),
        next_blocks(table_of(field(seats), 60), TOP_3, [*names, "x"], seats, 20, 1, {**OWNERS, "x": "owner0"}),
    )
    for blocks in plans:
        assert all(len({OWNERS.get(name, "owner0") for name in block}) == len(block) == seats for block in blocks)
    sitting = np.array([[names.index(name) for name in block] for block in plans[0]])
    assert groups_of(sitting, len(names)).max() == 0
    with pytest.raises(ResultsError, match="so few owners"):
        first_blocks(names, 5, seed=2, owners=OWNERS)


def two_with(doubt: float) -> FittedTable:
    """A table of two bots, the first of them stronger but for a doubt."""
    table = official_table(play(field(bots=2), all_tables(2, 2, 20), np.random.default_rng(1)))
    return replace(table, stronger=np.array([[0.5, 1 - doubt], [doubt, 0.5]]))


def test_it_is_known_with_exactly_the_confidence_that_is_asked_for() -> None:
    asked = StoppingQuestion(1, 0.75)
    at_it, beyond = (question_status(two_with(doubt), asked, ["bot000", "bot001"]) for doubt in (0.25, 0.2500001))
    assert (at_it.is_known, at_it.confidence, at_it.contenders) == (True, 0.75, ())
    assert (beyond.is_known, beyond.contenders) == (False, ("bot001",))


@pytest.mark.parametrize("seed", range(6))
def test_the_block_is_chosen_that_lowers_the_doubtful_variances_most(seed: int) -> None:
    # What is known after a block is the inverse of the information before it and of what its two matches bring.
    random = np.random.default_rng(seed)
    table = table_of(field(bots=5), 200)
    strengths = np.sort(random.normal(0, 1.5, 5))[::-1]
    spread = random.normal(0, 0.3, (5, 5))
    covariance = spread @ spread.T + 0.01 * np.eye(5)
    stronger = np.full((5, 5), 0.5)
    stronger[1:, 0] = random.uniform(0, 0.5, 4)
    rows = tuple(replace(row, strength=float(value)) for row, value in zip(table.rows, strengths, strict=True))
    made = replace(table, rows=rows, stronger=stronger, covariance=covariance)

    def gain(one: int, other: int) -> float:
        chance = 1 / (1 + np.exp(strengths[other] - strengths[one]))
        told = np.eye(5)[one] - np.eye(5)[other]
        after = np.linalg.inv(np.linalg.inv(covariance) + 2 * chance * (1 - chance) * np.outer(told, told))
        gaps = np.eye(5)[0] - np.eye(5)[1:]
        before, left = (np.einsum("ij,jk,ik->i", gaps, matrix, gaps) for matrix in (covariance, after))
        return float((stronger[1:, 0] * (before - left) / before).sum())

    one, other = max(combinations(range(5), 2), key=lambda pair: gain(*pair))
    (block,) = next_blocks(made, StoppingQuestion(1, 0.95), [row.version for row in rows], 2, 1, seed=1)
    assert set(block) == {rows[one].version, rows[other].version}


def test_impossible_plans_are_refused() -> None:
    with pytest.raises(ResultsError, match="cannot fill"):
        first_blocks(["a", "b"], 3, seed=1)
    with pytest.raises(ResultsError, match="twice"):
        first_blocks(["a", "a", "b"], 3, seed=1)
    with pytest.raises(ResultsError, match="before the first match"):
        question_status(table_of(field(), 10), StoppingQuestion(12, 0.95), field().names)


@pytest.mark.needs("minutes")
def test_adaptive_play_finds_the_top_with_fewer_matches() -> None:
    # A small share of `benchmarks.simulated_fields stopping`. Another processor may lead to other blocks, so
    # single fields may come out otherwise.
    full = sum(round_robin(field_of(seed), 3, seed) for seed in range(6))
    assert sum(adaptive(field_of(seed), 432, seed) for seed in range(6)) >= full - 2
