"""A bot that plays any game by search, within its clock or for a fixed number of playouts.

A tree search (tree.py) where everything is known and open, a lookahead over lines (lookahead.py) in games of chance or
hidden parts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bots.algorithms.budget import thinking_seconds
from bots.algorithms.lookahead import Horizon, Lookahead
from bots.algorithms.tree import Node, Search, Settings
from bots.kit import Bot, Decision, Match
from bots.preload import preload_rules

CLOCK_CHECK = 4
"""Iterations between two looks at the clock; one takes well below a millisecond."""


class SearchBot(Bot):
    """With `playouts` every decision takes that many iterations, whatever the clock says: equal seeds, equal play."""

    def __init__(
        self, playouts: int | None = None, settings: Settings | None = None, horizon: Horizon | None = None
    ) -> None:
        self._playouts = playouts
        self._settings = settings or Settings()
        self._horizon = horizon or Horizon()
        self._search: Search | None = None
        self._root: Node | None = None
        self._lookahead: Lookahead | None = None
        self._plan: tuple[int, ...] = ()

    def prepare(self) -> None:
        """See `Bot`."""
        preload_rules()

    def match_started(self, match: Match) -> None:
        """See `Bot`."""
        self._search = Search(match.rules, match.seats, match.random, self._settings)
        self._root = None
        self._lookahead = Lookahead(match.rules, match.seats, match.random, self._horizon)
        self._plan = ()

    def decide(self, decision: Decision) -> int:
        """See `Bot`."""
        rules = decision.match.rules
        if self._search is None or self._lookahead is None:
            raise RuntimeError("decide was called before match_started")
        if rules.has_chance or rules.has_hidden_information:
            return self._look_ahead(self._lookahead, decision)
        goes_on = _by_clock(decision) if self._playouts is None else _by_count(self._playouts)
        self._root = self._known_root(decision) or Node(decision.match.seat)
        self._search.run(self._root, decision.state().clone, goes_on)
        return self._root.best_action()

    def _look_ahead(self, lookahead: Lookahead, decision: Decision) -> int:
        """The first decision of the best line; the rest of it is compared again at the next decision."""
        progress = _clock_progress(decision) if self._playouts is None else _count_progress(self._playouts)
        sample = decision.match.rules.determinizer(decision.observation)
        line = lookahead.best_line(lambda: sample(decision.match.random), progress, self._plan)
        self._plan = line[1:]
        return line[0]

    def _known_root(self, decision: Decision) -> Node | None:
        """The part of the last tree that begins here, if the match went on inside it."""
        node = self._root
        for event in decision.events:
            if node is not None and not event.forced:
                node = node.child(event.action)
        return node if node is not None and node.seat == decision.match.seat else None


def _by_count(playouts: int) -> Callable[[int], bool]:
    return lambda iterations: iterations < playouts


def _by_clock(decision: Decision) -> Callable[[int], bool]:
    deadline = time.monotonic() + thinking_seconds(decision)
    return lambda iterations: iterations % CLOCK_CHECK != 0 or time.monotonic() < deadline


def _count_progress(playouts: int) -> Callable[[int], float]:
    return lambda valued: valued / playouts


def _clock_progress(decision: Decision) -> Callable[[int], float]:
    start = time.monotonic()
    seconds = thinking_seconds(decision)
    return lambda _: (time.monotonic() - start) / seconds if seconds > 0 else 1.0
