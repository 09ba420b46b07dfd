"""Plays any game by search, within its clock or with a fixed number of playouts.

Where nothing is hidden or left to chance it searches a tree (tree.py), in other games it compares lines (lookahead.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bots.algorithms.budget import thinking_seconds
from bots.algorithms.lookahead import Horizon, Lookahead
from bots.algorithms.tree import Node, Search, Settings
from bots.kit import Bot, Decision, Match
from engine.abilities import need_playable
from engine.core import Game


class SearchBot(Bot):
    """A bot that searches.

    With `playouts` every decision values that many positions, whatever the clock says, so that equal seeds give equal
    play. `clock` returns seconds; `time.process_time` is for measuring on a busy machine.
    """

    def __init__(
        self,
        playouts: int | None = None,
        settings: Settings | None = None,
        horizon: Horizon | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._playouts = playouts
        self._settings = settings or Settings()
        self._horizon = horizon or Horizon()
        self._search: Search | None = None
        self._root: Node | None = None
        self._lookahead: Lookahead | None = None
        self._plan: tuple[int, ...] = ()
        """What is left of the line that was best at the decision before."""

    def match_started(self, match: Match) -> None:
        playable = need_playable(match.rules)
        self._search = Search(playable, match.seats, match.random, self._settings)
        self._root = None
        self._plan = ()
        self._lookahead = Lookahead(playable, match.seats, match.random, self._horizon)

    def decide(self, decision: Decision) -> list[int]:
        """Search; by a number of playouts the whole turn is answered, up to the first outcome of chance.

        By the clock each decision is answered alone, since each brings its own time. What was planned is then compared
        with what else there is.
        """
        if self._search is None or self._lookahead is None:
            raise RuntimeError("decide was called before match_started")
        if is_open_loop(decision.match.rules):
            line = self._lookahead.best_line(decision.state, self._progress(decision), self._plan)
            answered = len(line) if self._playouts is not None else 1
            self._plan = line[answered:]
            return list(line[:answered])
        self._root = self._known_root(decision) or Node(decision.match.seat)
        if self._playouts is not None:
            return self._search.best_turn(self._root, decision.state(), self._playouts)
        self._search.run(self._root, decision.state().clone, _go_on(self._progress(decision)))
        return [self._root.best_action()]

    def _progress(self, decision: Decision) -> Callable[[int], float]:
        """Return a function from the number of positions valued to the part of the budget that is used."""
        if self._playouts is not None:
            return _by_count(self._playouts)
        start = self._clock()
        seconds = thinking_seconds(decision)
        return lambda _: (self._clock() - start) / seconds if seconds > 0 else 1.0

    def _known_root(self, decision: Decision) -> Node | None:
        """Return the part of the last tree that begins here, or None if the match left the tree."""
        node = self._root
        for event in decision.events:
            if node is not None and not event.forced:
                node = node.child(event.action)
        return node if node is not None and node.seat == decision.match.seat else None


def is_open_loop(game: Game) -> bool:
    """Whether chance or hidden parts keep a bot from knowing what follows its actions."""
    return game.has_chance or game.has_hidden_information


def _by_count(playouts: int) -> Callable[[int], float]:
    return lambda number: number / playouts


def _go_on(progress: Callable[[int], float]) -> Callable[[int], bool]:
    """Return a function from the number of positions valued to whether the search goes on."""
    return lambda valued: progress(valued) < 1
