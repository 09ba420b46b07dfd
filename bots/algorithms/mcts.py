"""Searches any game with any number of seats by Monte-Carlo tree search (UCT, max^n). Reads no clock, does no I/O.

Every seat maximises its own value, so an edge counts the value of the seat that chooses it. One iteration descends the
tree on a copy of the position, adds one node, and values the position there for all seats by `Playable.evaluate_all`.

It is for games without chance and hidden parts, where a node is one position. Three things make the most of few
iterations. The tree begins with the turns that look best for the seat to move (move_sequences.py), each as if it had
been tried some times. Actions are judged by their results elsewhere in the tree until they have been tried often at
their own place (progressive history, Nijssen and Winands 2011). Where the tree ends, the turn under way is played to
its end before it is valued, since the middle of a turn shows little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from random import Random
from typing import Final

from bots.algorithms.move_sequences import find_turns
from bots.session import decide_turn
from engine.abilities import Playable
from engine.core import State
from engine.playout import play_forced


@dataclass(frozen=True, slots=True)
class Settings:
    """What the search is tuned by; the defaults were found with benchmarks/strength.py."""

    exploration: float = 0.25
    """The weight of the exploration term, in units of the spread of the values seen."""
    turns: int = 16
    """How many turns that look best are in the tree from the beginning."""
    looks: int = 200
    """How many positions are looked at to find them."""
    prior: int = 2
    """For how many iterations the look at such a turn counts."""
    history: float = 1.0
    """For how many iterations it counts what an action led to elsewhere."""
    caprice: float = 0.1
    """By how much what an action led to is blurred where a turn is played to its end, in parts of the spread."""
    max_nodes: int = 150_000
    """The number of nodes at which the tree stops growing; one takes about 1 kB."""


_LONGEST: Final = 200  # a turn that is still under way after so many decisions is valued where it stands


class Node:
    """The decisions of one seat at one place of the tree; what is counted in slot i belongs to `actions[i]`."""

    __slots__ = ("actions", "children", "is_planted", "seat", "totals", "visits", "visits_total")

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.actions: list[int] = []
        self.visits: list[int] = []
        self.totals: list[float] = []
        self.children: dict[int, Node] = {}
        self.visits_total = 0
        self.is_planted = False

    def open(self, legal: Sequence[int]) -> None:
        """Take in the actions that are legal here, if that was not done before."""
        if not self.actions:
            self.actions = list(legal)
            self.visits = [0] * len(self.actions)
            self.totals = [0.0] * len(self.actions)

    def count(self, slot: int, value: float, times: int = 1) -> None:
        """Take in what came of an action for the seat that decides here."""
        self.visits[slot] += times
        self.visits_total += times
        self.totals[slot] += value * times

    def best_action(self) -> int:
        """Return the most visited action, and among equals the one of the higher value."""
        return self.actions[self._best_slot()]

    def best_value(self) -> float:
        """Return the mean value of that action for the seat that decides here."""
        best = self._best_slot()
        return self.totals[best] / max(self.visits[best], 1)

    def _best_slot(self) -> int:
        return max(range(len(self.actions)), key=lambda slot: (self.visits[slot], self.totals[slot]))

    def following(self, action: int, seat: int | None) -> Node:
        """Return where the game goes on after `action` with a decision of `seat`, or at its end; new if need be."""
        key = action << 8 | (0 if seat is None else seat + 1)
        node = self.children.get(key)
        if node is None:
            node = self.children[key] = Node(seat)
        return node

    def child(self, action: int) -> Node | None:
        """Return where a game without chance goes on after `action`, or None if the search never went there."""
        return next((child for key, child in self.children.items() if key >> 8 == action), None)


class History:
    """What came of each action for each seat, anywhere in the tree."""

    def __init__(self, seats: int) -> None:
        self._totals: list[dict[int, float]] = [{} for _ in range(seats)]
        self._counts: list[dict[int, int]] = [{} for _ in range(seats)]
        self._sums = [0.0] * seats
        self._numbers = [0] * seats

    def count(self, seat: int, action: int, value: float) -> None:
        """Take in what came of an action of a seat."""
        totals, counts = self._totals[seat], self._counts[seat]
        totals[action] = totals.get(action, 0.0) + value
        counts[action] = counts.get(action, 0) + 1
        self._sums[seat] += value
        self._numbers[seat] += 1

    def means(self, seat: int, actions: Sequence[int]) -> list[float]:
        """Return for each action what it led to on average, where it was never tried what all did."""
        totals, counts = self._totals[seat], self._counts[seat]
        usual = self._sums[seat] / max(self._numbers[seat], 1)
        return [totals[action] / counts[action] if action in counts else usual for action in actions]


class Search:
    """Grows the tree of one match."""

    def __init__(self, game: Playable, seats: int, random: Random, settings: Settings) -> None:
        self._game = game
        self._random = random
        self._settings = settings
        self._low = [1.0] * seats
        self._high = [0.0] * seats
        self._history = History(seats)

    def run(self, root: Node, sample: Callable[[], State], goes_on: Callable[[int], bool]) -> None:
        """Iterate once and then as long as `goes_on(positions valued so far)`, each time from a new `sample()`.

        At most half of the positions go into a first look at turns, where there was none.
        """
        valued = 0 if root.is_planted else self._plant(root, sample(), goes_on)
        while True:
            self._iterate(root, sample())
            valued += 1
            if not goes_on(valued):
                return

    def best_turn(self, root: Node, state: State, playouts: int) -> list[int]:
        """Return the decisions of a whole turn of a game without chance, each after so many positions were valued.

        `root` is the place of `state`, which is played on; the tree below it grows.
        """
        here = root

        def choose(position: State) -> int:
            nonlocal here
            self.run(here, position.clone, lambda valued: valued < playouts)
            action = here.best_action()
            here = here.child(action) or Node(here.seat)
            return action

        return decide_turn(state, choose)

    def _plant(self, root: Node, state: State, goes_on: Callable[[int], bool]) -> int:
        """Put the turns that look best into the tree, as if tried some times; return how many positions that valued."""
        valued = 0

        def count(looked: int) -> bool:
            nonlocal valued
            valued = looked
            return goes_on(2 * looked)

        found = find_turns(self._game, state, self._settings.looks, goes_on=count)
        for turn in found[: self._settings.turns]:
            self._scale(turn.values)
            node, here = root, state.clone()
            for action in turn.actions:
                node.is_planted = True
                node.open(here.legal_actions())
                node.count(node.actions.index(action), turn.values[root.seat or 0], self._settings.prior)
                here.apply_unchecked(action)
                play_forced(here)
                node = node.following(action, here.seat())
        return valued

    def _iterate(self, root: Node, state: State) -> None:
        path: list[tuple[int, int, Node | None, int]] = []
        node = root
        grows = root.visits_total < self._settings.max_nodes
        while node.seat is not None:
            node.open(state.legal_actions())
            slot = self._select(node)
            action = node.actions[slot]
            path.append((node.seat, action, node, slot))
            state.apply_unchecked(action)
            play_forced(state)
            seat = state.seat()
            following = node.children.get(action << 8 | (0 if seat is None else seat + 1))
            if following is None:
                if grows:
                    node.following(action, seat)
                if seat == node.seat:
                    self._finish(state, path)
                break
            node = following
        values = tuple(self._game.evaluate_all(state))
        self._scale(values)
        for seat, action, known, slot in path:
            value = values[seat]
            self._history.count(seat, action, value)
            if known is not None:
                known.count(slot, value)

    def _finish(self, state: State, path: list[tuple[int, int, Node | None, int]]) -> None:
        """Play the turn to its end by what actions led to elsewhere."""
        seat = state.seat()
        while seat is not None and state.seat() == seat and len(path) < _LONGEST:
            legal = state.legal_actions()
            means = self._history.means(seat, legal)
            spread = max(self._high[seat] - self._low[seat], 1e-9) * self._settings.caprice
            random = self._random.random
            noisy = [mean + spread * random() for mean in means]
            action = legal[noisy.index(max(noisy))]
            path.append((seat, action, None, 0))
            state.apply_unchecked(action)
            play_forced(state)

    def _select(self, node: Node) -> int:
        """Return the slot of the action with the highest bound; results elsewhere count less the more it was tried."""
        seat = node.seat or 0
        spread = max(self._high[seat] - self._low[seat], 1e-9)
        weight = self._settings.exploration * spread * sqrt(log(node.visits_total + 1))
        likely = self._history.means(seat, node.actions)
        prior = self._settings.history
        random, tiny = self._random.random, 1e-3 * spread
        best_slot, best_bound = 0, float("-inf")
        for slot, count in enumerate(node.visits):
            mean = (node.totals[slot] + prior * likely[slot]) / (count + prior) if count + prior else likely[slot]
            bound = mean + weight / sqrt(count + 1) + tiny * random()
            if bound > best_bound:
                best_slot, best_bound = slot, bound
        return best_slot

    def _scale(self, values: Sequence[float]) -> None:
        """Widen the scale of the exploration by values that were seen."""
        low, high = self._low, self._high
        for seat, value in enumerate(values):
            if value < low[seat]:
                low[seat] = value
            if value > high[seat]:
                high[seat] = value
