"""Matrix algebra in one thread and one order of summation, so that a table is identical whatever the cores. No I/O.

NumPy's `@` and `linalg` hand the work to a library that shares it out among threads, and the last digits follow how
many there are. `einsum` without optimisation does not, and is fast enough here; the decompositions are written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, sqrt

import numpy as np

from ratings.statistics.errors import ResultsError
from ratings.statistics.results import Floats

_PANEL = 48


@dataclass(frozen=True, slots=True)
class Tridiagonal:
    """A symmetric matrix in a basis in which it has nothing but its diagonal and what is beside that."""

    diagonal: list[float]
    beside: list[float]

    def inverse_and_solution(self, added: float, right: Sequence[float]) -> tuple[list[float], list[float]]:
        """Return the diagonal of (matrix + added I)^-1, and that inverse times `right`; the matrix must be positive.

        What is above and what is below an entry are eliminated apart; both meet in the diagonal of the inverse (G.
        Meurant, "A review on the inverse of symmetric tridiagonal and block tridiagonal matrices", 1992).
        """
        middle = [value + added for value in self.diagonal]
        above, below = _pivots(middle, self.beside), _pivots(middle[::-1], self.beside[::-1])[::-1]
        diagonal = [1 / (one + other - value) for one, other, value in zip(above, below, middle, strict=True)]
        solution = list(right)
        for row, value in enumerate(self.beside):
            solution[row + 1] -= value / above[row] * solution[row]
        solution[-1] /= above[-1]
        for row in reversed(range(len(self.beside))):
            solution[row] = (solution[row] - self.beside[row] * solution[row + 1]) / above[row]
        return diagonal, solution


def _pivots(diagonal: Sequence[float], beside: Sequence[float]) -> list[float]:
    found = [diagonal[0]]
    for value, next_to in zip(diagonal[1:], beside, strict=True):
        found.append(value - next_to * next_to / found[-1])
    return found


def tridiagonal(matrix: Floats, vector: Floats) -> tuple[Tridiagonal, Floats]:
    """Return a symmetric matrix in a basis in which it is tridiagonal, and the vector in the same basis.

    The basis is orthonormal, made of Householder's reflections (Golub and Van Loan, "Matrix Computations", 8.3.1).
    """
    left, turned = matrix.copy(), vector.copy()
    beside: list[float] = []
    for column in range(len(left) - 1):
        mirror = left[column + 1 :, column].copy()
        length = sqrt(inner(mirror, mirror))
        beside.append(-copysign(length, float(mirror[0])))
        mirror[0] -= beside[-1]
        mirror *= sqrt(2 / max(inner(mirror, mirror), 1e-300))
        rest = left[column + 1 :, column + 1 :]
        reach = product(rest, mirror)
        reach -= mirror * (inner(mirror, reach) / 2)
        rest -= mirror[:, None] * reach
        rest -= reach[:, None] * mirror
        turned[column + 1 :] -= mirror * inner(mirror, turned[column + 1 :])
    return Tridiagonal(np.diag(left).tolist(), beside), turned


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


def solve(matrix: Floats, right: Floats) -> Floats:
    """Return the x with matrix @ x = right, for a symmetric positive matrix."""
    low = cholesky(matrix)
    x = right.copy()
    for row in range(len(x)):
        x[row] = (x[row] - inner(low[row, :row], x[:row])) / low[row, row]
    for row in reversed(range(len(x))):
        x[row] = (x[row] - inner(low[row + 1 :, row], x[row + 1 :])) / low[row, row]
    return x


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of a symmetric positive matrix."""
    low = cholesky(matrix)
    back = np.eye(len(low))
    for row in range(len(low)):
        back[row, :row] -= np.einsum("j,jk->k", low[row, :row], back[:row, :row])
        back[row] /= low[row, row]
    return gram(back)
