"""Bots as programs give them: functions, closures, objects, and bots of the kit; and those that do wrong."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bots.kit import Bot, Decision

PLACE = 0


def pick(ids: Sequence[int], place: int) -> int:
    return ids[min(place, len(ids) - 1)]


def first(decision: Decision) -> int:
    return pick(decision.legal_actions, PLACE)


def at(place: int) -> Callable[[Decision], int]:
    def chosen(decision: Decision) -> int:
        return pick(decision.legal_actions, place)

    return chosen


class Called:
    def __init__(self, place: int) -> None:
        self.place = place

    def __call__(self, decision: Decision) -> int:
        return pick(decision.legal_actions, self.place)

    def choose(self, decision: Decision) -> int:
        return pick(decision.legal_actions, self.place)


class FirstBot(Bot):
    def decide(self, decision: Decision) -> int:
        return pick(decision.legal_actions, PLACE)


class PlaceBot(Bot):
    def __init__(self, place: int) -> None:
        self.place = place

    def decide(self, decision: Decision) -> int:
        return pick(decision.legal_actions, self.place)


def picked(place: int, decision: Decision) -> int:
    return pick(decision.legal_actions, place)


GIVEN: dict[str, tuple[Any, int]] = {
    "a function": (first, 0),
    "a lambda": (lambda decision: decision.legal_actions[1], 1),
    "a closure": (at(2), 2),
    "a partial function": (partial(picked, 1), 1),
    "an object that can be called": (Called(2), 2),
    "a method": (Called(1).choose, 1),
    "a class of bots": (FirstBot, 0),
    "a bot": (PlaceBot(2), 2),
}
"""What a program may give, and at which place of the legal actions it chooses."""


def says(decision: Decision) -> int:
    sys.stdout.write(f"I look at {len(decision.legal_actions)} actions\n")
    return decision.legal_actions[0]


def raises(decision: Decision) -> int:
    raise RuntimeError("this one has no idea")


def never_answers(decision: Decision) -> int:
    while True:
        pass


def answers_nonsense(decision: Decision) -> Any:
    return "the best one"


def cheats(decision: Decision) -> int:
    return 999_999


class CannotBeMade(Bot):
    def __init__(self) -> None:
        raise OSError("there are no weights here")

    def decide(self, decision: Decision) -> int:
        raise NotImplementedError
