"""The algebra against NumPy's own, and a table that does not depend on the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ratings.statistics.algebra import cholesky, gram, inner, inverse, product, solve, tridiagonal
from ratings.statistics.errors import ResultsError
from ratings.statistics.results import Floats

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
