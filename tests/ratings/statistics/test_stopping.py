"""The question that a tournament is played until, whether a table answers it, and what is played next for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from ratings.statistics.block_allocation import (
    DRIFT_ALARM,
    drifting,
    first_blocks,
    next_blocks,
    paid,
    question_status,
    trends_of,
)
from ratings.statistics.errors import ResultsError
from ratings.statistics.official_table import ELO_PER_UNIT, FittedTable, groups_of, official_table
from ratings.statistics.results import Results
from ratings.statistics.stopping_question import StoppingQuestion, check_question, parse_question
from tests.support.simulations.fields import Field, all_tables, drawn_tables, play
from tests.support.simulations.stopping import Kind, adaptive, field_of, round_robin, until_known


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("top 3 known at 95%", StoppingQuestion(3, 0.95)),
        ("  Top 10   known at 99.5% ", StoppingQuestion(10, 0.995)),
        ("winner known at 90%", StoppingQuestion(1, 0.9)),
        ("winner known at 90% within 10 Elo", StoppingQuestion(1, 0.9, 10.0)),
        ("top 3 known at 95% WITHIN 2.5 elo", StoppingQuestion(3, 0.95, 2.5)),
        ("top 3 known at 95% within 0 Elo", StoppingQuestion(3, 0.95, 0.0)),
    ],
)
def test_questions_are_read(text: str, question: StoppingQuestion) -> None:
    assert parse_question(text) == question


@pytest.mark.parametrize(
    "text",
    [
        "",
        "top 3",
        "top 0 known at 95%",
        "top 3 known at 100%",
        "top 3 known at 40%",
        "top 3 known at 95",
        "top -1 known at 95%",
        "top 3 known at 95% within 10",
        "top 3 known at 95% within -1 Elo",
    ],
)
def test_other_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ResultsError, match=r"write for example|confidence"):
        parse_question(text)


def test_too_wide_a_zone_is_refused() -> None:
    with pytest.raises(ResultsError, match="at most 400 Elo"):
        parse_question("winner known at 95% within 401 Elo")


def test_a_question_without_an_answer_is_refused() -> None:
    check_question(StoppingQuestion(3, 0.95), 4)
    with pytest.raises(ResultsError, match="top 3 of 3"):
        check_question(StoppingQuestion(3, 0.95), 3)


NAMES = ("bot000", "bot001", "bot002")


def table_of(strengths: tuple[float, ...], rounds: int, seed: int = 2) -> FittedTable:
    field = Field(np.array(strengths), np.zeros(2), np.full(1, -1.0))
    return official_table(play(field, all_tables(len(strengths), 2, rounds), np.random.default_rng(seed)))


def test_who_is_within_the_zone_is_as_good_as_the_best() -> None:
    # Two equal bots: no number of matches tells which is the better one, but soon that neither is much better.
    table = table_of((0.5, 0.5, -1.0), 3000)
    assert not question_status(table, StoppingQuestion(1, 0.95), NAMES).is_known
    assert not question_status(table, StoppingQuestion(1, 0.95, 0.0), NAMES).is_known
    found = question_status(table, StoppingQuestion(1, 0.95, 25.0), NAMES)
    assert found.is_known
    assert found.contenders == ()


def played(gains: tuple[float, ...], rounds: int, seed: int, seats: int = 2) -> Results:
    """A round robin in which each starts at 0 and gains so many Elo from the first block to the last."""
    random, steps = np.random.default_rng(seed), 20
    parts = []
    for step in range(steps):
        strengths = np.array(gains) * (step / (steps - 1)) / ELO_PER_UNIT
        field = Field(strengths, np.linspace(0.2, -0.2, seats), np.full(seats - 1, -1.0))
        one = play(field, all_tables(len(gains), seats, rounds), random)
        parts.append((one.seats, one.ranks, one.blocks + step * 10_000))
    sitting, ranks, blocks = (np.concatenate([part[column] for part in parts]) for column in range(3))
    return Results(one.versions, sitting, ranks, blocks, np.arange(len(blocks)))


def test_who_learns_while_it_plays_drifts_and_its_question_is_not_answered() -> None:
    results = played((250.0, 0.0, 0.0), 10, 1)
    assert trends_of(results)[0] > 4
    assert drifting(results, NAMES)[0] == NAMES[0]
    table, question = official_table(results), StoppingQuestion(1, 0.95, 25.0)
    assert question_status(table, question, NAMES).is_known
    found = question_status(table, question, NAMES, results=results)
    assert (found.is_known, found.leaders, found.drifting[0]) == (False, NAMES[:1], NAMES[0])
    assert found.confidence >= 0.95
    # Tournaments from before there were zones go on as they were.
    assert question_status(table, StoppingQuestion(1, 0.95), NAMES, results=results).is_known


def test_who_is_not_asked_about_may_drift() -> None:
    results = played((0.0, 0.0, 400.0), 10, 1)
    assert drifting(results, NAMES)[0] == NAMES[2]
    assert NAMES[2] not in drifting(results, NAMES[:2])
    assert drifting(results, ["nobody"]) == ()


@pytest.mark.parametrize(("seats", "rounds"), [(2, 4), (3, 4), (4, 8)])
def test_steady_bots_hardly_ever_drift(seats: int, rounds: int) -> None:
    fields = [played((0.0,) * 4, rounds, seed, seats) for seed in range(150)]
    trends = np.array([trends_of(one) for one in fields])
    assert 0.85 < trends.std() < 1.1
    assert (np.abs(trends) > 1.96).mean() < 0.08
    assert sum(bool(drifting(one, NAMES)) for one in fields) <= 150 * DRIFT_ALARM + 4


def test_a_trend_is_the_same_whatever_order_the_matches_come_in() -> None:
    results = played((100.0, 50.0, 0.0), 6, 3, 3)
    shuffled = np.random.default_rng(4).permutation(len(results.seats))
    columns = (results.seats[shuffled], results.ranks[shuffled], results.blocks[shuffled], results.plans[shuffled])
    assert trends_of(Results(results.versions, *columns)).tolist() == trends_of(results).tolist()
    nobody = Results(results.versions, results.seats[:0], results.ranks[:0], results.blocks[:0], results.plans[:0])
    assert trends_of(nobody).tolist() == [0.0, 0.0, 0.0]


def test_blocks_that_all_went_alike_tell_no_trend() -> None:
    sitting = np.array([np.roll([0, 1, 2], turn) for turn in range(3)] * 19)
    ranks = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1]] * 19)  # by seats, so that each score is thirds
    results = Results(NAMES, sitting, ranks, np.repeat(np.arange(19), 3), np.arange(57))
    assert trends_of(results) == pytest.approx(0.0, abs=1e-9)


def test_one_block_of_a_pair_tells_no_trend() -> None:
    assert trends_of(played((0.0, 0.0), 1, 1).where(np.arange(40) < 2)).tolist() == [0.0, 0.0]


def test_a_wider_zone_never_lowers_the_confidence() -> None:
    table = table_of((0.3, 0.1, 0.0), 40)
    found = [
        question_status(table, StoppingQuestion(1, 0.95, zone), NAMES).confidence
        for zone in (0.0, 5.0, 10.0, 50.0, 200.0)
    ]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_looks_are_paid_for_only_where_a_zone_was_asked_for() -> None:
    table = table_of((0.6, 0.1, 0.0), 30)
    once = question_status(table, StoppingQuestion(1, 0.95), NAMES, 50.0).confidence
    assert once == question_status(table, StoppingQuestion(1, 0.95), NAMES).confidence
    assert question_status(table, StoppingQuestion(1, 0.95, 0.0), NAMES, 50.0).confidence < once
    assert question_status(table, StoppingQuestion(1, 0.95, 0.0), NAMES, 1.0).confidence == pytest.approx(once)


def test_the_price_of_a_look_grows_with_the_doubt_and_the_span() -> None:
    doubts = np.geomspace(1e-6, 0.4999, 200).tolist()
    prices = [paid(doubt, 40.0) for doubt in doubts]
    assert prices == sorted(prices)
    assert all(doubt <= price <= 1 for doubt, price in zip(doubts, prices, strict=True))
    assert paid(0.003, 10.0) < paid(0.003, 100.0)
    assert (paid(0.0, 40.0), paid(0.5, 40.0)) == (0.0, 1.0)


@pytest.mark.parametrize("doubt", [0.01, 0.001])
def test_the_price_is_the_chance_that_one_of_the_looks_is_wrong(doubt: float) -> None:
    # Walks that lead nowhere, looked at from 32 steps on, at 2,000 for the last time.
    random = np.random.default_rng(1)
    height = -np.sqrt(np.arange(32, 2001)) * NormalDist().inv_cdf(doubt)
    walks = (random.standard_normal((200, 2000)).cumsum(axis=1)[:, 31:] for _ in range(40))
    crossed = sum(int((walk > height).any(axis=1).sum()) for walk in walks) / 8000
    assert doubt < crossed < paid(doubt, 2000 / 32)
    assert crossed > paid(doubt, 2000 / 32) / 2.5  # not paid more than it costs, but for the steps between the looks


def test_what_is_called_known_is_so() -> None:
    # A small share of `python -m benchmarks.stopping`.
    kind = Kind("two far ahead, 20 Elo apart", 2, (300, 280, 0))
    answers = until_known(kind, 400, range(6))
    assert sum(answer.is_known for answer in answers) >= 3
    assert all(answer.is_right for answer in answers if answer.is_known)


TOP_3 = StoppingQuestion(3, 0.95)


def field(seats: int = 2, bots: int = 12) -> Field:
    return Field(np.linspace(1.5, -1.5, bots), np.zeros(seats), np.full(seats - 1, -1.0))


def drawn_table(field: Field, blocks: int, seed: int = 1) -> FittedTable:
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
    few = question_status(drawn_table(field(), 12), TOP_3, field().names)
    many = question_status(drawn_table(field(), 3000), TOP_3, field().names)
    assert not few.is_known
    assert few.contenders
    assert many.is_known
    assert many.leaders == ("bot000", "bot001", "bot002")
    assert many.confidence >= 0.95
    assert many.contenders == ()


def test_nothing_is_known_while_an_entrant_has_not_played() -> None:
    found = question_status(drawn_table(field(), 3000), TOP_3, [*field().names, "late"])
    assert not found.is_known
    assert found.confidence == 0.0
    assert "late" in found.contenders


def test_those_who_left_are_passed_over() -> None:
    found = question_status(drawn_table(field(), 3000), TOP_3, field().names[1:])
    assert found.leaders == ("bot001", "bot002", "bot003")


@pytest.mark.parametrize("seats", [2, 4])
def test_the_next_blocks_are_played_where_it_is_undecided(seats: int) -> None:
    true = field(seats)
    table = drawn_table(true, 400)
    blocks = next_blocks(table, TOP_3, true.names, seats, 30, seed=1)
    assert len(blocks) == 30
    assert all(len(set(block)) == seats for block in blocks)
    times = Counter(name for block in blocks for name in block)
    border = sum(times[name] for name in ("bot002", "bot003"))
    assert border > sum(times[name] for name in ("bot009", "bot010", "bot011"))
    assert blocks == next_blocks(table, TOP_3, list(reversed(true.names)), seats, 30, seed=1)


def test_an_entrant_that_has_not_played_comes_first() -> None:
    blocks = next_blocks(drawn_table(field(), 100), TOP_3, [*field().names, "late"], 2, 5, seed=1)
    assert "late" in blocks[0]
    assert len(blocks) == 5


def test_before_the_first_match_tables_are_drawn() -> None:
    empty = np.zeros((0, 0))
    table = FittedTable((), (), empty, empty, empty, 0.95, 0, 0, 0, 0, 1.0, np.zeros(0))
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
        next_blocks(drawn_table(field(seats), 60), TOP_3, names, seats, 20, seed=1, owners=OWNERS),
        next_blocks(drawn_table(field(seats), 60), TOP_3, [*names, "x"], seats, 20, 1, {**OWNERS, "x": "owner0"}),
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
    table = drawn_table(field(bots=5), 200)
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
        question_status(drawn_table(field(), 10), StoppingQuestion(12, 0.95), field().names)


@pytest.mark.needs("minutes")
def test_adaptive_play_finds_the_top_with_fewer_matches() -> None:
    # A small share of `python -m benchmarks.stopping`. Another processor's last digits may lead to other blocks, so
    # single fields may come out otherwise.
    full = sum(round_robin(field_of(seed), 3, seed) for seed in range(6))
    assert sum(adaptive(field_of(seed), 432, seed) for seed in range(6)) >= full - 2
