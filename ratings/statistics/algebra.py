"""Matrix algebra in one thread and one order of summation, so that a table is identical whatever the cores. No I/O.

NumPy's `@` and `linalg` hand the work to a library that shares it out among threads, and the last digits follow how
many there are. `einsum` without optimisation does not, and is fast enough here; the decompositions are written out.
"""

from __future__ import annotations

import numpy as np

from ratings.statistics.errors import ResultsError
from ratings.statistics.results import Floats

_PANEL = 48


def product(left: Floats, right: Floats) -> Floats:
    """Return `left @ right` of two matrices, or of a matrix and a vector."""
    return np.asarray(np.einsum("ij,jk->ik" if right.ndim == 2 else "ij,j->i", left, right))


def gram(matrix: Floats) -> Floats:
    """Return `matrix.T @ matrix`."""
    return np.asarray(np.einsum("ki,kj->ij", matrix, matrix))


def inner(left: Floats, right: Floats) -> float:
    """Return the inner product of two vectors."""
    return float((left * right).sum())


def cholesky(matrix: Floats) -> Floats:
    """Return the lower triangle L with L @ L.T = matrix. Raises ResultsError if there is none."""
    low = matrix.copy()
    for start in range(0, len(low), _PANEL):
        end = min(start + _PANEL, len(low))
        for column in range(start, end):
            if not low[column, column] > 0:
                raise ResultsError("the fit does not converge: its information matrix is not positive")
            low[column, column] = np.sqrt(low[column, column])
            low[column + 1 :, column] /= low[column, column]
            below = low[column + 1 :, column]
            low[column + 1 :, column + 1 : end] -= below[:, None] * below[: end - column - 1]
        panel = low[end:, start:end]
        low[end:, end:] -= np.einsum("ik,jk->ij", panel, panel)
    return np.tril(low)


def substitute(low: Floats, right: Floats) -> Floats:
    """Return the x with low @ low.T @ x = right, for a lower triangle such as `cholesky` gives."""
    x = right.copy()
    for row in range(len(x)):
        x[row] = (x[row] - inner(low[row, :row], x[:row])) / low[row, row]
    for row in reversed(range(len(x))):
        x[row] = (x[row] - inner(low[row + 1 :, row], x[row + 1 :])) / low[row, row]
    return x


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of a symmetric positive matrix."""
    return inverse_and_log_determinant(matrix)[0]


def inverse_and_log_determinant(matrix: Floats) -> tuple[Floats, float]:
    """Return the inverse of a symmetric positive matrix, and the logarithm of its determinant."""
    low = cholesky(matrix)
    back = np.eye(len(low))
    for row in range(len(low)):
        back[row, :row] -= np.einsum("j,jk->k", low[row, :row], back[:row, :row])
        back[row] /= low[row, row]
    return gram(back), 2 * float(np.log(np.diag(low)).sum())
