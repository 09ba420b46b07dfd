"""What a comparison is fed: the same field, opening and seed, with NEW and with OLD in the tested seat. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ratings.statistics.errors import ResultsError
from ratings.statistics.points import most_points, seat_points


@dataclass(frozen=True, slots=True)
class Game:
    """One match: the tested seat, the ranks by seat (1 is best, ties share a rank), and its game digest."""

    seat: int
    ranks: tuple[int, ...]
    digest: str

    @property
    def score(self) -> Fraction:
        """Return the normalised rank of the tested seat: 1 is best, 0 is last, and equal ranks lie in the middle."""
        return Fraction(seat_points(self.ranks, self.seat), most_points(len(self.ranks)))


@dataclass(frozen=True, slots=True)
class PairedBlock:
    """A block played twice: `new[i]` and `old[i]` differ only in who sits in the tested seat.

    Raises ResultsError if the two do not fit together.
    """

    new: tuple[Game, ...]
    old: tuple[Game, ...]

    def __post_init__(self) -> None:
        if not self.new or _shape(self.new) != _shape(self.old):
            raise ResultsError("the block was not played in the same seats with NEW and with OLD")
        for game in (*self.new, *self.old):
            if not 0 <= game.seat < len(game.ranks) or len(game.ranks) < 2:
                raise ResultsError(f"seat {game.seat} is not one of {len(game.ranks)} seats")

    @property
    def difference(self) -> Fraction:
        """Return the exact mean score of NEW less that of OLD, between -1 and 1."""
        return (sum(game.score for game in self.new) - sum(game.score for game in self.old)) / Fraction(len(self.new))

    @property
    def identical_games(self) -> int:
        """Count the games in which NEW played move by move what OLD played."""
        return sum(new.digest == old.digest for new, old in zip(self.new, self.old, strict=True))


def _shape(games: Sequence[Game]) -> list[tuple[int, int]]:
    return [(game.seat, len(game.ranks)) for game in games]
