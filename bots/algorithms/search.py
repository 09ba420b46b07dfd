"""A bot that plays any game by Monte-Carlo tree search, within its clock or for a fixed number of playouts."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from bots.algorithms.budget import thinking_seconds
from bots.algorithms.tree import Node, Search, Settings
from bots.kit import Bot, Decision, Match
from bots.preload import preload_rules
from engine.chance import Chance
from engine.core import State

CLOCK_CHECK = 4
"""Iterations between two looks at the clock; one takes well below a millisecond."""


class SearchBot(Bot):
    """With `playouts` every decision takes that many iterations, whatever the clock says: equal seeds, equal play."""

    def __init__(self, playouts: int | None = None, settings: Settings | None = None) -> None:
        self._playouts = playouts
        self._settings = settings or Settings()
        self._search: Search | None = None
        self._root: Node | None = None

    def prepare(self) -> None:
        """See `Bot`."""
        preload_rules()

    def match_started(self, match: Match) -> None:
        """See `Bot`."""
        self._search = Search(match.rules, match.seats, match.random, self._settings)
        self._root = None

    def decide(self, decision: Decision) -> int:
        """See `Bot`."""
        goes_on = _by_clock(decision) if self._playouts is None else _by_count(self._playouts)
        if self._search is None:
            raise RuntimeError("decide was called before match_started")
        self._root = self._known_root(decision) or Node(decision.match.seat)
        self._search.run(self._root, _sampler(decision), goes_on)
        return self._root.best_action()

    def _known_root(self, decision: Decision) -> Node | None:
        """The part of the last tree that begins here, if the match went on inside it."""
        node = self._root
        rules = decision.match.rules
        if rules.has_chance or rules.has_hidden_information:
            return None
        for event in decision.events:
            if node is not None and not event.forced:
                node = node.child(event.action)
        return node if node is not None and node.seat == decision.match.seat else None


def _by_count(playouts: int) -> Callable[[int], bool]:
    return lambda iterations: iterations < playouts


def _by_clock(decision: Decision) -> Callable[[int], bool]:
    deadline = time.monotonic() + thinking_seconds(decision)
    return lambda iterations: iterations % CLOCK_CHECK != 0 or time.monotonic() < deadline


def _sampler(decision: Decision) -> Callable[[], State]:
    """Where iterations start: a copy of the position, or each time another one consistent with the observation."""
    rules, random = decision.match.rules, decision.match.random
    if rules.has_hidden_information:
        sample = rules.determinizer(decision.observation)
        return lambda: sample(random).clone(DrawnChance(random))
    state = decision.state()
    if rules.has_chance:
        return lambda: state.clone(DrawnChance(random))
    return state.clone


class DrawnChance(Chance):
    """Chance as a search imagines it: from the bot's own randomness."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def permutation(self, size: int) -> list[int]:
        """See `Chance`."""
        return self._random.sample(range(size), size)

    def d6(self) -> int:
        """See `Chance`."""
        return int(self._random.random() * 6) + 1
