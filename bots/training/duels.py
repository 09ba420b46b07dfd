"""Two sets of weights against each other, by greedy play with everything from seeds, and processes that share duels.

A duel is two matches from one random opening: the seats are dealt out to both in turns, and then the other way round.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import ParamSpec, TypeVar

from bots.algorithms.greedy import best_turn
from bots.algorithms.move_sequences import best_of_lines
from bots.algorithms.search import is_open_loop
from engine import registry
from engine.abilities import Playable, Weighing, need_playable
from engine.chance import SeededChance
from engine.core import AbilityError, Game, State

P = ParamSpec("P")
T = TypeVar("T")

TURN_NODES = 150
"""The positions that a player looks at for a turn: enough for play that tells weights apart, and no more."""
LINE_NODES = 60
"""The same where lines are compared, each of which takes longer."""


@dataclass(frozen=True, slots=True)
class Duel:
    """What is played, and from which seed."""

    game: str
    first: tuple[float, ...]
    second: tuple[float, ...]
    seats: int
    seed: int


def need_weighing(game: Game) -> Weighing:
    """Return what the evaluation of a game weighs. Raises AbilityError if it does not say."""
    weighing = need_playable(game).weighing
    if weighing is None:
        raise AbilityError(f"{game.name} does not say what its evaluation weighs (Playable.weighing); nothing to train")
    return weighing


def play_duel(duel: Duel) -> float:
    """Return the lead of the first weights, -1 to 1: the mean of what their seats reach less that of the others."""
    game = registry.get(duel.game)
    playable_by = need_weighing(game).playable_by
    sides = playable_by(duel.first), playable_by(duel.second)
    lead = 0.0
    for first in (0, 1):
        dealt = [(seat + first) % 2 for seat in range(duel.seats)]
        values = _play(game, [sides[side] for side in dealt], duel.seed)
        lead += _mean_of(0, dealt, values) - _mean_of(1, dealt, values)
    return lead / 2


def _mean_of(side: int, dealt: Sequence[int], values: Sequence[float]) -> float:
    mine = [value for value, whose in zip(values, dealt, strict=True) if whose == side]
    return sum(mine) / len(mine)


def _play(game: Game, players: Sequence[Playable], seed: int) -> Sequence[float]:
    """Play a match and return how good its end is for each seat."""
    random = Random(seed)
    state = game.new_state(len(players), None, SeededChance(seed))
    opening = game.opening_plies(len(players))
    plan: list[int] = []
    while (seat := state.seat()) is not None:
        legal = state.legal_actions()
        if len(legal) == 1:
            action = legal[0]
        elif opening > 0:
            action = random.choice(legal)
        else:
            plan = plan or _decide(game, players[seat], state, seat, random)
            action = plan.pop(0)
        state.apply_unchecked(action)
        opening -= 1
        if state.seat() != seat or state.revealed():
            plan = []
    return players[0].evaluate_all(state)


def _decide(game: Game, player: Playable, state: State, seat: int, random: Random) -> list[int]:
    if is_open_loop(game):
        return best_of_lines(player, lambda: player.redraw(state, seat, random), random, LINE_NODES)
    return best_turn(player, state, TURN_NODES, random)


class Processes(ProcessPoolExecutor):
    """So many processes. They get no Ctrl-C, since whoever asks ends them, and they end with the process that asks.

    Each begins as a Python of its own. A copy of this process would also copy locks that its threads hold at that
    moment, gRPC's among them, and wait for ever at the first of them.

    Functions, arguments and results are pickled; a function is found again by its module and name. A process that dies
    raises BrokenProcessPool where results are waited for.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, multiprocessing.get_context("spawn"), initializer=_end_with_the_asking)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process call the function. Raises BrokenProcessPool if one has died."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a process that starts here inherits it
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_the_asking() -> None:
    """Have this process end when the one that started it is gone, however it went."""

    def wait() -> None:
        asking = multiprocessing.parent_process()
        assert asking is not None
        asking.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
