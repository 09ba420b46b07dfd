"""Where every random outcome of a game comes from. No I/O.

A state asks a `Chance` and keeps no generator of its own, so an outcome can be seeded, recorded and replayed. An
outcome is a list of ints: `[index, ...]` for a shuffle (the new order, as indices into the old), `[face]` for a die,
`[index]` for a weighted draw.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from engine.mypyc_support import mypyc_attr, refuse_unfinished

T = TypeVar("T")


@mypyc_attr(native_class=False)
class ScriptError(ValueError):
    """A script of outcomes ran out, or holds one that the question cannot have."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Chance(metaclass=ABCMeta):
    """A source of random outcomes."""

    @abstractmethod
    def permutation(self, size: int) -> list[int]:
        """Return a uniformly random order of 0..size-1."""
        raise NotImplementedError

    @abstractmethod
    def d6(self) -> int:
        """Return one throw of a fair die, 1..6."""
        raise NotImplementedError

    @abstractmethod
    def draw(self, weights: Sequence[float]) -> int:
        """Return an index into `weights`, each as probable as its weight is a share of their sum.

        Weights are finite, none is negative, and one at least is positive. An index of weight 0 is never returned.
        """
        raise NotImplementedError

    @classmethod
    def __init_subclass__(cls, **meanings: Any) -> None:
        super().__init_subclass__(**meanings)
        refuse_unfinished(cls, Chance)

    def shuffle(self, items: list[T]) -> None:
        """Put `items` into a uniformly random order, in place."""
        items[:] = [items[index] for index in self.permutation(len(items))]


@mypyc_attr(allow_interpreted_subclasses=True)
class SeededChance(Chance):
    """Outcomes from a seed; equal seeds, equal outcomes, on every machine and Python version. None: from the system."""

    def __init__(self, seed: int | None) -> None:
        self._seed = seed
        self._generator: Random | None = None

    # A generator takes 10 us and 2.5 kB, and most clones of a search never draw: it is made for the first outcome.
    @property
    def _random(self) -> Random:
        if self._generator is None:
            self._generator = Random(self._seed)
        return self._generator

    # Only random() is guaranteed to repeat across Python versions, so nothing else is used.

    def permutation(self, size: int) -> list[int]:
        order = list(range(size))  # Fisher-Yates
        random = self._random.random
        for last in range(size - 1, 0, -1):
            other = int(random() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order

    def d6(self) -> int:
        return int(self._random.random() * 6) + 1

    def draw(self, weights: Sequence[float]) -> int:
        # Added up in their order, which gives the same sums everywhere; `sum` does so from Python 3.12 on no more.
        total = 0.0
        for weight in weights:
            total += weight
        point, reached, last = self._random.random() * total, 0.0, -1
        for index, weight in enumerate(weights):
            if weight <= 0:
                continue
            reached += weight
            last = index
            if point < reached:
                break
        if last < 0:
            raise ValueError(f"no weight is positive: {list(weights)[:8]}")
        return last


@mypyc_attr(allow_interpreted_subclasses=True)
class RecordingChance(Chance):
    """Passes another source's outcomes on and keeps them in `outcomes`, in order."""

    def __init__(self, source: Chance) -> None:
        self._source = source
        self.outcomes: list[list[int]] = []

    def permutation(self, size: int) -> list[int]:
        order = self._source.permutation(size)
        self.outcomes.append(list(order))
        return order

    def d6(self) -> int:
        face = self._source.d6()
        self.outcomes.append([face])
        return face

    def draw(self, weights: Sequence[float]) -> int:
        index = self._source.draw(weights)
        self.outcomes.append([index])
        return index


@mypyc_attr(allow_interpreted_subclasses=True)
class ScriptedChance(Chance):
    """Gives the outcomes it was handed, in order; raises ScriptError when they do not fit the questions."""

    def __init__(self, outcomes: Sequence[Sequence[int]]) -> None:
        self._outcomes = [list(outcome) for outcome in outcomes]
        self._next = 0

    @property
    def remaining(self) -> int:
        """Return how many outcomes are left."""
        return len(self._outcomes) - self._next

    def extend(self, outcomes: Sequence[Sequence[int]]) -> None:
        """Add outcomes that come after those it was handed before."""
        self._outcomes += [list(outcome) for outcome in outcomes]

    def _take(self, question: str) -> list[int]:
        if self._next == len(self._outcomes):
            raise ScriptError(f"the script has no outcome left for {question}")
        self._next += 1
        return self._outcomes[self._next - 1]

    def permutation(self, size: int) -> list[int]:
        outcome = self._take(f"a shuffle of {size}")
        if sorted(outcome) != list(range(size)):
            raise ScriptError(f"outcome {self._next - 1} is no order of {size} items: {outcome}")
        return list(outcome)

    def d6(self) -> int:
        outcome = self._take("a die")
        if len(outcome) != 1 or outcome[0] not in range(1, 7):
            raise ScriptError(f"outcome {self._next - 1} is no die: {outcome}")
        return outcome[0]

    def draw(self, weights: Sequence[float]) -> int:
        outcome = self._take(f"a draw from {len(weights)}")
        if len(outcome) != 1 or outcome[0] not in range(len(weights)) or weights[outcome[0]] <= 0:
            raise ScriptError(f"outcome {self._next - 1} is no draw from {len(weights)} weights: {outcome}")
        return outcome[0]
