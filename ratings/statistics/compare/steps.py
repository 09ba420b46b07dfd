"""What a comparison is fed: a step, the fewest matches that treat NEW and OLD alike. No I/O.

Where NEW and OLD sit at the same tables, its score is what NEW took of the points between the two: 2 for every OLD
that a NEW is ahead of, 1 for every one that shares its rank. Where a field fills the tables of both in turn, it is one
half and half the difference of their normalised ranks. Either way it is exactly one half on average if NEW plays like
OLD, because everybody sits in every seat, and what NEW and OLD have beside them they have alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ratings.statistics.errors import ResultsError
from ratings.statistics.points import most_points, points_between, seat_points

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class ComparedMatch:
    """One match: the seats of NEW and of OLD, the ranks by seat (1 is best, ties share a rank), and its game digest.

    Raises ResultsError if a seat is not there or is both.
    """

    new: frozenset[int]
    old: frozenset[int]
    ranks: tuple[int, ...]
    digest: str

    def __post_init__(self) -> None:
        if self.new & self.old or not self.new | self.old or not self.new | self.old <= set(range(len(self.ranks))):
            raise ResultsError(
                f"the seats {sorted(self.new)} and {sorted(self.old)} do not fit {len(self.ranks)} seats"
            )

    @property
    def pairs(self) -> int:
        """Count the pairs of a seat of NEW and one of OLD."""
        return len(self.new) * len(self.old)

    @property
    def points(self) -> int:
        """Return what NEW took of the `2 * pairs` points between it and OLD."""
        return sum(points_between(self.ranks[new], self.ranks[old]) for new in self.new for old in self.old)

    def rank_score(self, seats: frozenset[int]) -> Fraction:
        """Return the mean normalised rank of these seats: 1 is best, 0 is last."""
        points = sum(seat_points(self.ranks, seat) for seat in seats)
        return Fraction(points, most_points(len(self.ranks)) * len(seats))


@dataclass(frozen=True, slots=True)
class ComparisonStep:
    """The matches of one step, each with the one in which NEW and OLD have changed places.

    Raises ResultsError if they have not.
    """

    games: tuple[tuple[ComparedMatch, ComparedMatch], ...]
    forfeits: tuple[int, int] = (0, 0)
    """How many matches NEW and OLD forfeited."""

    def __post_init__(self) -> None:
        if not self.games or any(_seats(one) != _seats(other)[::-1] for one, other in self.games):
            raise ResultsError("NEW and OLD did not play the same matches with changed places")
        if len({one.pairs == 0 for one, _ in self.games}) != 1:
            raise ResultsError("NEW and OLD meet in some matches of the step and not in others")

    @property
    def score(self) -> Fraction:
        """Return the exact score of NEW against OLD, 0 to 1; one half is as good."""
        games = [game for both in self.games for game in both]
        if pairs := sum(game.pairs for game in games):
            return Fraction(sum(game.points for game in games), 2 * pairs)
        new = [game.rank_score(game.new) for game in games if game.new]
        old = [game.rank_score(game.old) for game in games if game.old]
        return HALF + (sum(new) - sum(old)) / Fraction(2 * len(new))

    @property
    def outcomes(self) -> tuple[int, int, int]:
        """Return how often NEW was ahead of OLD, level, and behind.

        Where they do not meet, it is NEW's rank that is held against OLD's in the match with changed places.
        """
        found = [0, 0, 0]
        for one, other in self.games:
            if one.pairs:
                for game in (one, other):
                    for new in game.new:
                        for old in game.old:
                            found[1 + _sign(game.ranks[new] - game.ranks[old])] += 1
            else:
                ours, theirs = (one, other) if one.new else (other, one)
                found[1 + _sign(theirs.rank_score(theirs.old) - ours.rank_score(ours.new))] += 1
        ahead, level, behind = found
        return ahead, level, behind

    @property
    def identical_games(self) -> int:
        """Count the matches that went move by move like that with changed places."""
        return sum(2 * (one.digest == other.digest) for one, other in self.games)


def _sign(number: Fraction | int) -> int:
    return (number > 0) - (number < 0)


def _seats(game: ComparedMatch) -> tuple[frozenset[int], frozenset[int]]:
    return game.new, game.old
