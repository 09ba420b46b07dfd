"""Monte-Carlo tree search for any game of this engine and any number of seats (UCT, max^n). No clock, no I/O.

Every seat maximises its own value, so an edge counts the value of the seat that chooses it. One iteration descends the
tree on a copy of the position, adds one node, and values it there for all seats by `Playable.evaluate_all`.

A game without chance and hidden parts has one position a node. In others the tree is *open loop*: each iteration
starts from a position that is consistent with the observation, chance draws as it goes, and a node stands for all the
positions that its actions lead to (information set MCTS, Cowling, Powley and Whitehouse 2012); an action is chosen
among those that are legal in the position at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from random import Random

from engine.abilities import Playable
from engine.core import State


@dataclass(frozen=True, slots=True)
class Settings:
    """What the search is tuned by; the defaults were measured as benchmarks/strength.py does."""

    exploration: float = 0.5
    """Weight of the exploration term, in units of the spread of values seen."""
    max_nodes: int = 150_000
    """Above this the tree grows no more (about 1 kB a node)."""


class Node:
    """The decisions of one seat at one place of the tree; slot i is about `actions[i]`."""

    __slots__ = ("actions", "children", "seat", "slots", "totals", "visits", "visits_total")

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.actions: list[int] = []
        self.slots: dict[int, int] = {}
        self.visits: list[int] = []
        self.totals: list[float] = []
        self.children: dict[int, Node] = {}
        self.visits_total = 0

    def slots_of(self, actions: Sequence[int]) -> list[int]:
        """The slots of `actions`; new ones are made for those met for the first time."""
        slots = self.slots
        for action in actions:
            if action not in slots:
                slots[action] = len(self.actions)
                self.actions.append(action)
                self.visits.append(0)
                self.totals.append(0.0)
        return [slots[action] for action in actions]

    def best_action(self) -> int:
        """The most visited action; among equals the one of higher value."""
        best = max(range(len(self.actions)), key=lambda slot: (self.visits[slot], self.totals[slot]))
        return self.actions[best]

    def child(self, action: int) -> Node | None:
        """Where a game without chance goes on after `action`; None if the search never went there."""
        return next((child for key, child in self.children.items() if key >> 8 == action), None)


class Search:
    """Grows trees for one match. `sample()` gives a position to start an iteration from, which it may change."""

    def __init__(
        self, game: Playable, seats: int, random: Random, settings: Settings, *, open_loop: bool = False
    ) -> None:
        self._game = game
        self._seats = seats
        self._random = random
        self._settings = settings
        self._is_open_loop = open_loop
        self._low = [1.0] * seats
        self._high = [0.0] * seats

    def run(self, root: Node, sample: Callable[[], State], goes_on: Callable[[int], bool]) -> None:
        """Iterate as long as `goes_on(iterations so far)`, at least once."""
        iterations = 0
        while True:
            self._iterate(root, sample())
            iterations += 1
            if not goes_on(iterations):
                return

    def _iterate(self, root: Node, state: State) -> None:
        path: list[tuple[Node, int]] = []
        node = root
        grows = root.visits_total < self._settings.max_nodes
        while node.seat is not None:
            slot = self._select(node, self._slots(node, state))
            path.append((node, slot))
            state.apply_unchecked(node.actions[slot])
            _play_forced(state)
            seat = state.seat()
            key = node.actions[slot] << 8 | (0 if seat is None else seat + 1)
            following = node.children.get(key)
            if following is None:
                if grows:
                    node.children[key] = Node(seat)
                break
            node = following
        self._back_up(path, self._value(state))

    def _slots(self, node: Node, state: State) -> Sequence[int]:
        """The slots of the actions that are legal in this position."""
        if self._is_open_loop or not node.actions:
            return node.slots_of(state.legal_actions())
        return range(len(node.actions))

    def _select(self, node: Node, slots: Sequence[int]) -> int:
        """An action never tried, else the one of the highest upper confidence bound."""
        visits, totals = node.visits, node.totals
        if self._is_open_loop or node.visits_total < len(slots):
            untried = [slot for slot in slots if not visits[slot]]
            if untried:
                return untried[int(self._random.random() * len(untried))]
        seat = node.seat or 0
        spread = max(self._high[seat] - self._low[seat], 1e-9)
        weight = self._settings.exploration * spread * sqrt(log(node.visits_total))
        best_slot, best_bound = -1, float("-inf")
        for slot in slots:
            count = visits[slot]
            bound = totals[slot] / count + weight / sqrt(count)
            if bound > best_bound:
                best_slot, best_bound = slot, bound
        return best_slot

    def _value(self, state: State) -> Sequence[float]:
        """The value of a position for every seat; what was seen sets the scale of the exploration."""
        values = self._game.evaluate_all(state)
        low, high = self._low, self._high
        for seat, value in enumerate(values):
            if value < low[seat]:
                low[seat] = value
            if value > high[seat]:
                high[seat] = value
        return values

    @staticmethod
    def _back_up(path: list[tuple[Node, int]], values: Sequence[float]) -> None:
        for node, slot in path:
            node.visits[slot] += 1
            node.visits_total += 1
            node.totals[slot] += values[node.seat or 0]


def _play_forced(state: State) -> None:
    """Play on while there is nothing to choose."""
    actions = state.legal_actions()
    while len(actions) == 1:
        state.apply_unchecked(actions[0])
        actions = state.legal_actions()
