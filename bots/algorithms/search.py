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
from engine.abilities import need_playable
from engine.core import Game


class SearchBot(Bot):
    """With `playouts` every decision values that many positions, whatever the clock says: equal seeds, equal play.

    `clock` gives seconds; the processor's instead of the wall's is for measuring on a busy machine.
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

    def prepare(self) -> None:
        """See `Bot`."""
        preload_rules()

    def match_started(self, match: Match) -> None:
        """See `Bot`."""
        playable = need_playable(match.rules)
        self._search = Search(playable, match.seats, match.random, self._settings, open_loop=is_open_loop(match.rules))
        self._root = None
        self._lookahead = Lookahead(playable, match.seats, match.random, self._horizon)

    def decide(self, decision: Decision) -> list[int]:
        """See `Bot`. A line of the lookahead is answered at once, up to the first outcome of chance."""
        if self._search is None or self._lookahead is None:
            raise RuntimeError("decide was called before match_started")
        if is_open_loop(decision.match.rules):
            return self._look_ahead(self._lookahead, decision)
        progress = self._by_clock(decision) if self._playouts is None else _by_count(self._playouts)
        self._root = self._known_root(decision) or Node(decision.match.seat)
        self._search.run(self._root, decision.state().clone, _go_on(progress))
        return [self._root.best_action()]

    def _look_ahead(self, lookahead: Lookahead, decision: Decision) -> list[int]:
        progress = self._by_clock(decision) if self._playouts is None else _by_count(self._playouts)
        return list(lookahead.best_line(decision.state, progress))

    def _by_clock(self, decision: Decision) -> Callable[[int], float]:
        """How much of the thinking time has passed."""
        start = self._clock()
        seconds = thinking_seconds(decision)
        return lambda _: (self._clock() - start) / seconds if seconds > 0 else 1.0

    def _known_root(self, decision: Decision) -> Node | None:
        """The part of the last tree that begins here, if the match went on inside it."""
        node = self._root
        for event in decision.events:
            if node is not None and not event.forced:
                node = node.child(event.action)
        return node if node is not None and node.seat == decision.match.seat else None


def is_open_loop(game: Game) -> bool:
    """Tell whether chance or hidden parts keep a bot from knowing what follows its actions."""
    return game.has_chance or game.has_hidden_information


def _by_count(playouts: int) -> Callable[[int], float]:
    return lambda number: number / playouts


def _go_on(progress: Callable[[int], float]) -> Callable[[int], bool]:
    """Whether a tree search goes on; by the clock it overruns by a few iterations."""
    return lambda iterations: progress(iterations) < 1
