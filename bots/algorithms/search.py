"""Plays any game by search, within its clock or with a fixed number of playouts, and values finished matches so.

Where nothing is hidden or left to chance it searches a tree (mcts.py), in other games it compares lines (rollouts.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from bots.algorithms.mcts import Node, Search, Settings
from bots.algorithms.rollouts import Horizon, Lookahead
from bots.kit import Bot, Decision, Match
from engine.abilities import need_playable
from engine.core import Game, State
from engine.record import Playing

UNLIMITED_S = 0.5
"""How long to think if the match has no clock."""
SHARE = 0.7
"""The part of the limit that is used; the rest is for waking up on a busy machine and for the way to the arena."""
WAKE_UP_S = 0.004
LONGEST_S = 2.0
"""More thinking hardly makes a search stronger, and people wait for it at tables whose clock is made for them."""
DECISIONS_TO_COME = 40
"""The number of decisions over which a bank is spread."""
DEFAULT_PLAYOUTS = 40
"""How many positions are valued for each decision of a finished match."""


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
        self._plan: tuple[int, ...] = ()  # what is left of the line that was best at the decision before

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
        node = self._root  # of the last tree, unless the match has left it
        for event in decision.events:
            if node is not None and not event.forced:
                node = node.child(event.action)
        seat = decision.match.seat
        self._root = node if node is not None and node.seat == seat else Node(seat)
        if self._playouts is not None:
            return self._search.best_turn(self._root, decision.state(), self._playouts)
        progress = self._progress(decision)
        self._search.run(self._root, decision.state().clone, lambda valued: progress(valued) < 1)
        return [self._root.best_action()]

    def _progress(self, decision: Decision) -> Callable[[int], float]:
        """Return a function from the number of positions valued to the part of the budget that is used."""
        if self._playouts is not None:
            playouts = self._playouts
            return lambda number: number / playouts
        start = self._clock()
        seconds = thinking_seconds(decision)
        return lambda _: (self._clock() - start) / seconds if seconds > 0 else 1.0


def thinking_seconds(decision: Decision) -> float:
    """Return how many seconds to think from now on: at least 0, at most LONGEST_S."""
    left = decision.seconds_left()
    if left is None:
        return UNLIMITED_S
    clock = decision.match.clock
    allowance = SHARE * left
    if clock.bank_us or clock.increment_us:
        pace = decision.bank_us / DECISIONS_TO_COME + 0.8 * clock.increment_us
        allowance = min(allowance, pace / 1e6)
    return min(max(allowance - WAKE_UP_S, 0.0), LONGEST_S)


def is_open_loop(game: Game) -> bool:
    """Return whether chance or hidden parts keep a bot from knowing what follows its actions."""
    return game.has_chance or game.has_hidden_information


@dataclass(frozen=True, slots=True)
class Valued:
    """How good the position before a ply was for one seat, from 0 (lost) to 1 (won)."""

    ply: int
    value: float


def value_position(game: Game, seats: int, state: State, random: Random, playouts: int = DEFAULT_PLAYOUTS) -> float:
    """Return the value of a position for the seat that decides there, which has more than one action.

    That seat knows only what it sees: what is hidden from it is drawn from `random`. Raises AbilityError.
    """
    playable = need_playable(game)
    if is_open_loop(game):
        seat = state.seat()
        assert seat is not None
        lookahead = Lookahead(playable, seats, random)
        return lookahead.best(lambda: playable.redraw(state, seat, random), lambda number: number / playouts).value
    root = Node(state.seat())
    Search(playable, seats, random, Settings()).run(root, state.clone, lambda number: number < playouts)
    return root.best_value()


def value_match(
    playing: Playing, actions: Sequence[int], plies: Iterable[int], seat: int, playouts: int = DEFAULT_PLAYOUTS
) -> list[Valued]:
    """Return the value for `seat` before each of `plies`, at which it decided, and after the last action.

    `playing` stands at the beginning, and is played on. Equal arguments give equal values. Raises AbilityError.
    """
    wanted, found = set(plies), []
    for ply, action in enumerate(actions):
        if ply in wanted:
            found.append(Valued(ply, value_position(playing.game, playing.seats, playing.state, Random(ply), playouts)))
        playing.apply(action)
    return [*found, Valued(len(actions), need_playable(playing.game).evaluate(playing.state, seat))]
