"""What is known: within a zone, and paid for at every look."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from ratings.statistics.official.table import FittedTable, official_table
from ratings.statistics.stopping.question import StoppingQuestion
from ratings.statistics.stopping.status import paid, question_status
from tests.support.simulations.fields import Field, all_tables, drawn_tables, play
from tests.support.simulations.many_fields import Blocks, tables_of
from tests.support.simulations.stopping import Kind, until_known

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
    # A small share of `python -m benchmarks.simulated_fields stopping`.
    kind = Kind("two far ahead, 20 Elo apart", 2, (300, 280, 0))
    answers = until_known(kind, 400, range(6))
    assert sum(answer.is_known for answer in answers) >= 3
    assert all(answer.is_right for answer in answers if answer.is_known)


@pytest.mark.parametrize("tie", [-1.0, 1.5, -40.0], ids=["ties", "many ties", "no ties"])
def test_the_simulation_of_many_fields_makes_the_official_tables(tie: float) -> None:
    random, blocks = np.random.default_rng(7), Blocks(2, 8)
    tables = []
    for number in range(2):
        field = Field(random.normal(0, 0.6, 8), np.array([0.3, -0.3]), np.full(1, tie))
        results = play(field, drawn_tables(random, 8, 2, 20 + 40 * number), random)
        blocks.add(number, results)
        tables.append(official_table(results))
    found = tables_of(blocks, [0, 1])
    for number, table in enumerate(tables):
        same = found.table(number, [f"bot{place:03d}" for place in range(8)], table.matches)
        assert [row.version for row in same.rows] == [row.version for row in table.rows]
        gaps = np.array([row.strength for row in table.rows]) - np.array([row.strength for row in same.rows])
        assert gaps == pytest.approx(gaps.mean(), abs=1e-4)
        assert same.spread == pytest.approx(table.spread, abs=1e-4)
        assert same.stronger == pytest.approx(table.stronger, abs=1e-4)
        assert same.covariance == pytest.approx(table.covariance, abs=1e-4)
