"""The model against its own definition, the algebra against NumPy's, and sums that no order and no threads change."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ratings.statistics import covariance
from ratings.statistics.algebra import cholesky, gram, inner, inverse, product, solve, tridiagonal
from ratings.statistics.errors import ResultsError
from ratings.statistics.fit import Shape, evaluate, log_likelihood
from ratings.statistics.official_table import fit_counts
from ratings.statistics.results import Floats, count, pack, stages_of
from tests.support.simulations.official import big_results


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
    assert is_near(solve(matrix, right), np.linalg.solve(matrix, right))
    assert is_near(inverse(matrix), np.linalg.inv(matrix))
    assert is_near(product(matrix, low), matrix @ low)
    assert is_near(product(matrix, right), matrix @ right)
    assert is_near(gram(low), low.T @ low)
    assert inner(right, right) == pytest.approx(right @ right)


@pytest.mark.parametrize("size", [1, 2, 7, 48])
def test_a_tridiagonal_matrix_has_the_same_inverse_and_solution(size: int) -> None:
    matrix, right = positive(size), np.arange(1.0, size + 1)
    found, turned = tridiagonal(matrix, right)
    for added in (0.0, 0.3, 40.0):
        inverted = np.linalg.inv(matrix + added * np.eye(size))
        diagonal, solution = found.inverse_and_solution(added, turned.tolist())
        assert sum(diagonal) == pytest.approx(np.trace(inverted))
        assert inner(np.array(solution), np.array(solution)) == pytest.approx(((inverted @ right) ** 2).sum())


def test_a_diagonal_matrix_is_tridiagonal_already() -> None:
    found, turned = tridiagonal(np.diag([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    assert sorted(found.inverse_and_solution(0.0, turned.tolist())[0]) == pytest.approx([1 / 3, 1 / 2, 1.0])


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
