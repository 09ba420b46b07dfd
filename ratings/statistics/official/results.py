"""The matches of a pool as columns, which all statistics of this package start from. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ratings.statistics.errors import ResultsError

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


def distinct(values: npt.NDArray[Any], axis: int | None = None) -> npt.NDArray[Any]:
    """Return the different values, or those along an axis, ascending.

    Without the counts, `np.unique` would import all of NumPy's masked arrays to see that these are none.
    """
    return np.unique(values, return_counts=True, axis=axis)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Matches that count: of whole blocks, none of them void. Row = match, column = seat.

    `versions` are ids; `seats` holds indices into them, shape (matches, seats); `ranks` has the same shape, 1 is best,
    ties share a rank; `blocks` tells the block of each match by any integer, shape (matches,); `plans` are integers of
    the same shape, equal for two matches only if one repeats the other by plan: same opening, seeds and rotation, and
    everybody deterministic. Raises ResultsError if the shapes or values do not fit.
    """

    versions: tuple[str, ...]
    seats: npt.NDArray[np.integer]
    ranks: npt.NDArray[np.integer]
    blocks: npt.NDArray[np.integer]
    plans: npt.NDArray[np.integer]

    def __post_init__(self) -> None:
        if self.seats.ndim != 2 or self.seats.shape != self.ranks.shape or self.seats.shape[1] < 2:
            raise ResultsError(f"seats {self.seats.shape} and ranks {self.ranks.shape} are not (matches, seats)")
        matches = len(self.seats)
        if self.blocks.shape != (matches,) or self.plans.shape != (matches,):
            raise ResultsError(f"{matches} matches, but {self.blocks.shape} blocks and {self.plans.shape} digests")
        if len(set(self.versions)) != len(self.versions):
            raise ResultsError("a version is listed twice")
        if matches and not 0 <= int(self.seats.min()) <= int(self.seats.max()) < len(self.versions):
            raise ResultsError("a seat's version is not in the list of versions")

    def where(self, kept: Bools) -> Results:
        """Return the matches at which the mask is true."""
        return Results(self.versions, self.seats[kept], self.ranks[kept], self.blocks[kept], self.plans[kept])

    def among(self, versions: Collection[str]) -> Results:
        """Return the matches in which nobody but these versions sat."""
        is_wanted = np.array([version in versions for version in self.versions], np.bool_)
        return self.where(is_wanted[self.seats].all(axis=1))


def results_of(versions: Sequence[str], matches: Sequence[tuple[int, Sequence[str], Sequence[int]]]) -> Results:
    """Return the columns of matches that are given one by one, none of which repeats another.

    Each match is the number of its block, its versions by seat, and their ranks by seat.
    """
    place = {version: number for number, version in enumerate(versions)}
    width = len(matches[0][1]) if matches else 2
    return Results(
        tuple(versions),
        np.array([[place[version] for version in seats] for _, seats, _ in matches], np.int64).reshape(-1, width),
        np.array([ranks for _, _, ranks in matches], np.int64).reshape(-1, width),
        np.array([block for block, _, _ in matches], np.int64),
        np.arange(len(matches)),
    )
