"""From matches to a fit: blocks and scores that they are counted to, and the model against its definition."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ratings.statistics import covariance
from ratings.statistics import fit as fitting
from ratings.statistics.algebra import cholesky, gram, inner, inverse, product, substitute
from ratings.statistics.covariance import uncertainty
from ratings.statistics.errors import ResultsError
from ratings.statistics.fit import Shape, evaluate, log_likelihood
from ratings.statistics.official_table import fit_counts, official_table
from ratings.statistics.results import Floats, Results, count, pack, results_of, stages_of
from ratings.statistics.scores import Firsts, match_firsts, mean_score
from tests.support.simulations.fields import Field, all_tables, play
from tests.support.simulations.official import big_results


def duels(blocks: int, strengths: tuple[float, ...] = (0.5, -0.5), luck: float = 0.0) -> Results:
    """Blocks of two matches of two bots, without ties."""
    field = Field(np.array(strengths), np.zeros(2), np.zeros(0), luck)
    return play(field, all_tables(len(strengths), 2, blocks), np.random.default_rng(8))


def alike(blocks: int, wins: int) -> Results:
    """Blocks of two matches, one from each seat: in the first `wins` blocks the first bot wins both, then it loses."""
    seats = np.array([[0, 1], [1, 0]] * blocks)
    won = np.repeat(np.arange(blocks) < wins, 2)
    ranks = np.where(won[:, None], seats + 1, 2 - seats)
    return Results(("a", "b"), seats, ranks, np.repeat(np.arange(blocks), 2), np.arange(2 * blocks))


def test_a_fit_is_not_judged_by_fewer_than_two_blocks_for_each_of_its_figures() -> None:
    # Two strengths and the effects of two seats: four figures.
    for blocks, is_judged in ((8, False), (9, True)):
        counts = count(alike(blocks, blocks // 2))
        found = uncertainty(counts, fit_counts(counts, {}))
        assert (found.dispersion != 1.0, bool(found.trust.any()), found.seat_trust > 0) == (is_judged,) * 3


def test_blocks_whose_matches_are_alike_count_as_half_as_many() -> None:
    # Both matches of a block end alike, so the scores' variance is twice that of independent matches; the correction
    # is n / (n - 4) for n blocks, and with few blocks the dispersion is drawn towards 1 with weight n / (n + 20).
    for blocks in (20, 60):
        counts = count(alike(blocks, blocks // 2))
        found = uncertainty(counts, fit_counts(counts, {}))
        seen = 2 * blocks / (blocks - 4)
        assert found.dispersion == pytest.approx(1 + (seen - 1) * blocks / (blocks + 20))
        assert found.trust == pytest.approx([(blocks / 2) / (blocks / 2 + 20)] * 2)
        assert found.seat_trust == pytest.approx(blocks / (blocks + 20))


def test_blocks_that_cancel_their_luck_lower_the_dispersion_to_a_quarter_at_most() -> None:
    # Each wins one match of every block, whatever the seat: the blocks do not differ at all.
    seats = np.array([[0, 1], [1, 0]] * 200)
    results = Results(("a", "b"), seats, np.array([[1, 2], [1, 2]] * 200), np.repeat(np.arange(200), 2), np.arange(400))
    counts = count(results)
    assert uncertainty(counts, fit_counts(counts, {})).dispersion == 0.25


def test_the_order_of_blocks_follows_from_what_happened_in_them() -> None:
    results = duels(300, luck=1.0)
    random = np.random.default_rng(1)
    whole = count(results)
    for _ in range(3):
        order = random.permutation(len(results.seats))
        labels = random.permutation(300)
        other = count(
            Results(
                results.versions,
                results.seats[order],
                results.ranks[order],
                labels[results.blocks[order]],
                results.plans[order],
            )
        )
        assert np.array_equal(other.row_of, whole.row_of)
        assert np.array_equal(other.block_of, whole.block_of)


def test_blocks_of_other_rows_with_the_same_sum_are_told_apart() -> None:
    # Four rows (the first bot in seat 0 wins or loses; in seat 1 too): blocks of rows {0, 3} and {1, 2} have one sum.
    seats = np.array([[0, 1], [1, 0], [0, 1], [1, 0]])
    ranks = np.array([[1, 2], [2, 1], [2, 1], [1, 2]])
    rows = count(Results(("a", "b"), seats, ranks, np.arange(4), np.arange(4))).row_of.tolist()
    assert sorted(rows) == [0, 1, 2, 3]
    kinds = ([0, 3], [1, 2])
    found = set()
    for swapped in (False, True):
        pairs = [pair for _ in range(20) for pair in (reversed(kinds) if swapped else kinds)]
        members = [row for pair in pairs for row in pair]
        place = [rows.index(row) for row in members]
        counts = count(
            Results(
                ("a", "b"),
                seats[place],
                ranks[place],
                np.repeat(np.arange(len(pairs)), 2),
                np.arange(2 * len(pairs)),
            )
        )
        found.add(tuple(counts.row_of.tolist()))
    assert len(found) == 1


def test_every_choice_but_that_of_the_last_who_is_left_is_a_stage() -> None:
    # a before b before c, and a tied with b before c: in the second there is no choice among two.
    stages = stages_of(np.array([[0, 1, 2], [0, 1, 2]]), np.array([[0, 1, 2], [0, 0, 2]]), np.array([5, 7]))
    assert [len(stage.seats) for stage in stages] == [3, 2]
    assert [stage.chosen.tolist() for stage in stages] == [[0b001, 0b011], [0b01]]
    assert [stage.counts.tolist() for stage in stages] == [[5, 7], [5]]


def test_a_fit_that_begins_with_few_of_the_matches_ends_at_the_same_top(monkeypatch: pytest.MonkeyPatch) -> None:
    results = duels(150, strengths=(1.0, 0.3, -0.3, -1.0))
    whole = official_table(results)
    monkeypatch.setattr(fitting, "_FEW", 2)
    begun = official_table(results)
    assert [row.version for row in begun.rows] == [row.version for row in whole.rows]
    assert [row.strength for row in begun.rows] == pytest.approx([row.strength for row in whole.rows], abs=1e-8)
    assert [row.low for row in begun.rows] == pytest.approx([row.low for row in whole.rows], abs=1e-6)


def test_matches_given_one_by_one_become_columns() -> None:
    matches = [(7, ("b", "a", "c"), (1, 3, 2)), (7, ("c", "b", "a"), (1, 1, 3))]
    results = results_of(("a", "b", "c"), matches)
    assert results.seats.tolist() == [[1, 0, 2], [2, 1, 0]]
    assert results.ranks.tolist() == [[1, 3, 2], [1, 1, 3]]
    assert results.blocks.tolist() == [7, 7]
    assert results.plans.tolist() == [0, 1]
    none = results_of(("a", "b"), [])
    assert none.seats.shape == none.ranks.shape == (0, 2)
    assert (none.blocks.shape, none.plans.shape) == ((0,), (0,))


NONE, WIN, SHARED, DRAW = Firsts(), Firsts(1, 0, 0), Firsts(0, 1, 0), Firsts(0, 0, 1)


@pytest.mark.parametrize(
    ("ranks", "kinds"),
    [
        ((2, 1), [NONE, WIN]),
        ((1, 1), [DRAW, DRAW]),
        ((1, 1, 3), [SHARED, SHARED, NONE]),
        ((2, 2, 1), [NONE, NONE, WIN]),
        ((1, 1, 1, 1), [DRAW] * 4),
        ((1,), [WIN]),
    ],
)
def test_a_first_rank_is_a_win_alone_a_draw_of_all_or_shared_with_some(
    ranks: tuple[int, ...], kinds: list[Firsts]
) -> None:
    assert match_firsts(ranks) == kinds


@pytest.mark.parametrize(
    ("won", "matches", "low", "high"),
    # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3 (Wilson).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(won: int, matches: int, low: float, high: float) -> None:
    score = mean_score([1] * won + [0] * (matches - won))
    assert score.mean == pytest.approx(won / matches)
    assert (score.low, score.high) == pytest.approx((low, high), abs=5e-5)


def test_ranks_in_between_count_as_parts_of_a_match() -> None:
    assert mean_score([Fraction(1, 2)] * 4) == mean_score([0, 1, 0, 1])


@pytest.mark.parametrize("scores", [[], [1.5], [0, -1]])
def test_what_is_no_score_is_refused(scores: list[float]) -> None:
    with pytest.raises(ResultsError):
        mean_score(scores)


def ranks_of(seats: int) -> list[tuple[int, ...]]:
    """Every way to order the seats, as how many were strictly better."""
    orders = {
        tuple(sum(other < mine for other in order) for mine in order)
        for order in itertools.product(range(seats), repeat=seats)
    }
    return sorted(orders)


def point_of(shape: Shape) -> Floats:
    return np.random.default_rng(7).normal(0, 0.7, shape.size)


@pytest.mark.parametrize(("seats", "orders"), [(2, 3), (3, 13), (4, 75)])  # Fubini numbers, OEIS A000670
def test_the_probabilities_of_all_orders_sum_to_one(seats: int, orders: int) -> None:
    shape = Shape(seats, seats, seats)
    point = point_of(shape)
    every = ranks_of(seats)
    assert len(every) == orders
    sitting = np.arange(seats)[None, :]
    chances = [
        np.exp(log_likelihood(stages_of(sitting, np.array([order]), np.ones(1, np.int64)), shape, point))
        for order in every
    ]
    assert sum(chances) == pytest.approx(1)


def test_two_seats_are_davidsons_model() -> None:
    shape = Shape(2, 2, 2)
    point = np.array([0.3, -0.3, 0.1, -0.1, -0.5])
    a, b, tie = np.exp(0.4), np.exp(-0.4), np.exp(-0.5)
    stages = stages_of(np.array([[0, 1]]), np.array([[0, 0]]), np.ones(1, np.int64))
    assert np.exp(log_likelihood(stages, shape, point)) == pytest.approx(tie / (a + b + tie))


def test_gradient_and_information_are_the_derivatives() -> None:
    random = np.random.default_rng(2)
    seats = np.argsort(random.random((40, 6)), axis=1)[:, :4]
    ranks = np.array(ranks_of(4))[random.integers(0, 75, 40)]
    shape = Shape(6, 4, 4)
    tables = stages_of(seats, ranks, random.integers(1, 5, 40))
    point = point_of(shape)
    value = evaluate(tables, shape, point)
    assert value.log_likelihood == pytest.approx(log_likelihood(tables, shape, point))
    for place in range(shape.size):
        step = np.zeros(shape.size)
        step[place] = 1e-5
        up, down = evaluate(tables, shape, point + step), evaluate(tables, shape, point - step)
        assert (up.log_likelihood - down.log_likelihood) / 2e-5 == pytest.approx(value.gradient[place], abs=1e-4)
        assert (down.gradient - up.gradient) / 2e-5 == pytest.approx(value.information[place], abs=1e-4)


def test_packed_rows_are_ordered_as_the_rows_even_where_one_number_is_too_small() -> None:
    random = np.random.default_rng(4)
    rows = random.integers(0, 1000, (300, 12))
    rows[::3, :6] = rows[0, :6]
    keys = pack(rows.T, [1000] * 12)
    assert np.argsort(keys, kind="stable").tolist() == np.lexsort(rows.T[::-1]).tolist()


@pytest.mark.parametrize("seats", [2, 3])
def test_blocks_added_by_what_they_know_give_the_same_sum(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = count(big_results(600, seats))
    fitted = fit_counts(counts, {})
    dense = covariance.uncertainty(counts, fitted)
    monkeypatch.setattr(covariance, "_MANY", 0)
    sparse = covariance.uncertainty(counts, fitted)
    assert np.allclose(sparse.sandwich, dense.sandwich, rtol=1e-9, atol=1e-15)
    assert sparse.dispersion == pytest.approx(dense.dispersion)


ROOT = Path(__file__).resolve().parents[4]
DIGEST = """
import hashlib
from tests.support.simulations.official import big_results
from ratings.statistics.official_table import official_table
table = official_table(big_results(2000, 2, bots=150))
print(hashlib.sha256(table.covariance.tobytes() + repr(table.rows).encode()).hexdigest())
"""


def positive(size: int) -> Floats:
    drawn = np.random.default_rng(size).normal(size=(size, size))
    return drawn @ drawn.T + np.eye(size)


def is_near(found: Floats, expected: npt.NDArray[np.floating[Any]]) -> bool:
    """Whether they are as near as `pytest.approx` asks for, which takes much longer to look at each number."""
    return found.shape == expected.shape and bool(
        (abs(found - expected) <= np.maximum(1e-6 * abs(expected), 1e-12)).all()
    )


@pytest.mark.parametrize("size", [1, 2, 7, 48, 49, 120])
def test_it_agrees_with_numpy(size: int) -> None:
    matrix, right = positive(size), np.arange(size, dtype=float)
    low = cholesky(matrix)
    assert is_near(low @ low.T, matrix)
    assert is_near(substitute(low, right), np.linalg.solve(matrix, right))
    assert is_near(inverse(matrix), np.linalg.inv(matrix))
    assert is_near(product(matrix, low), matrix @ low)
    assert is_near(product(matrix, right), matrix @ right)
    assert is_near(gram(low), low.T @ low)
    assert inner(right, right) == pytest.approx(right @ right)


def test_a_matrix_that_is_not_positive_is_refused() -> None:
    with pytest.raises(ResultsError, match="not positive"):
        cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ResultsError, match="not positive"):
        cholesky(np.array([[float("nan")]]))


@pytest.mark.needs("minutes")
def test_the_table_does_not_depend_on_the_number_of_threads() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(digests) == 1
