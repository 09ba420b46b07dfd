"""Searches any game with any number of seats by Monte-Carlo tree search (UCT, max^n). Reads no clock, does no I/O.

Every seat maximises its own value, so an edge counts the value of the seat that chooses it. One iteration descends the
tree on a copy of the position, adds one node, and values the position there for all seats by `Playable.evaluate_all`.

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

from bots.session import decide_turn
from engine.abilities import Playable
from engine.core import State
from engine.playout import play_forced


@dataclass(frozen=True, slots=True)
class Settings:
    """What the search is tuned by; the defaults were found with benchmarks/strength.py."""

    exploration: float = 0.5
    """The weight of the exploration term, in units of the spread of the values seen."""
    max_nodes: int = 150_000
    """The number of nodes at which the tree stops growing; one takes about 1 kB."""


class Node:
    """The decisions of one seat at one place of the tree; what is counted in slot i belongs to `actions[i]`."""

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
        """Return the slots of `actions`, making new ones for actions met for the first time."""
        slots = self.slots
        for action in actions:
            if action not in slots:
                slots[action] = len(self.actions)
                self.actions.append(action)
                self.visits.append(0)
                self.totals.append(0.0)
        return [slots[action] for action in actions]

    def best_action(self) -> int:
        """Return the most visited action, and among equals the one of the higher value."""
        return self.actions[self._best_slot()]

    def best_value(self) -> float:
        """Return the mean value of that action for the seat that decides here."""
        best = self._best_slot()
        return self.totals[best] / self.visits[best]

    def _best_slot(self) -> int:
        return max(range(len(self.actions)), key=lambda slot: (self.visits[slot], self.totals[slot]))

    def child(self, action: int) -> Node | None:
        """Return where a game without chance goes on after `action`, or None if the search never went there."""
        return next((child for key, child in self.children.items() if key >> 8 == action), None)


class Search:
    """Grows trees for one match, whose games are `open_loop` if chance or hidden parts take part."""

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
        """Iterate once and then as long as `goes_on(iterations so far)`, each time from a new `sample()`."""
        iterations = 0
        while True:
            self._iterate(root, sample())
            iterations += 1
            if not goes_on(iterations):
                return

    def best_turn(self, root: Node, state: State, playouts: int) -> list[int]:
        """Return the decisions of a whole turn of a game without chance, each after so many playouts.

        `root` is the place of `state`, which is played on; the tree below it grows.
        """
        here = root

        def choose(position: State) -> int:
            nonlocal here
            self.run(here, position.clone, lambda iterations: iterations < playouts)
            action = here.best_action()
            here = here.child(action) or Node(here.seat)
            return action

        return decide_turn(state, choose)

    def _iterate(self, root: Node, state: State) -> None:
        path: list[tuple[Node, int]] = []
        node = root
        grows = root.visits_total < self._settings.max_nodes
        while node.seat is not None:
            slot = self._select(node, self._slots(node, state))
            path.append((node, slot))
            state.apply_unchecked(node.actions[slot])
            play_forced(state)
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
        """Return the slots of the actions that are legal in this position."""
        if self._is_open_loop or not node.actions:
            return node.slots_of(state.legal_actions())
        return range(len(node.actions))

    def _select(self, node: Node, slots: Sequence[int]) -> int:
        """Return the slot of an action never tried or, if there is none, that of the highest upper confidence bound."""
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
        """Return the value of a position for each seat; the values seen so far set the scale of the exploration."""
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
