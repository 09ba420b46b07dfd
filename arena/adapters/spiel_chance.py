"""Chance that is answered outcome by outcome from outside, so that a search sees every one with its probability.

A shuffle is asked for as the draws that it is made of, each from the cards that are left: no node has more outcomes
than the deck has cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.chance import Chance

MOST_OUTCOMES = 1024
"""What a game of OpenSpiel must tell of itself: no question has more outcomes."""

Odds = tuple[tuple[int, float], ...]
"""Each outcome that can be, with its probability."""


class Unanswered(Exception):  # noqa: N818 - it is a question, no error
    """Chance was asked what nobody has answered yet: `odds` are the answers to choose from."""

    def __init__(self, odds: Odds) -> None:
        super().__init__(odds)
        self.odds = odds


class AnsweredChance(Chance):
    """Gives the answers that it was handed, in order, and raises Unanswered behind the last."""

    def __init__(self, answers: Sequence[int]) -> None:
        self._answers = iter(answers)

    def permutation(self, size: int) -> list[int]:
        order = list(range(size))  # Fisher-Yates, as a seeded chance does it
        for last in range(size - 1, 0, -1):
            other = self._answer(_evenly(last + 1))
            order[last], order[other] = order[other], order[last]
        return order

    def d6(self) -> int:
        return self._answer(_evenly(6)) + 1

    def draw(self, weights: Sequence[float]) -> int:
        total = sum(weights)
        return self._answer(tuple((index, weight / total) for index, weight in enumerate(weights) if weight > 0))

    def _answer(self, odds: Odds) -> int:
        if len(odds) > MOST_OUTCOMES:
            raise ValueError(f"chance has {len(odds)} outcomes here; OpenSpiel was told of at most {MOST_OUTCOMES}")
        for answer in self._answers:
            return answer
        raise Unanswered(odds)


def _evenly(count: int) -> Odds:
    return tuple((outcome, 1 / count) for outcome in range(count))
