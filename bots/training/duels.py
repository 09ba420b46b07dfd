"""Two sets of weights against each other, by greedy play in this process. No clock, no I/O, everything from seeds.

A duel is two matches from one random opening: the seats are dealt out to both in turns, and then the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bots.algorithms.greedy import best_turn
from bots.algorithms.lines import best_of_lines
from bots.algorithms.search import is_open_loop
from engine import registry
from engine.abilities import Playable, Weighing, need_playable
from engine.chance import SeededChance
from engine.core import AbilityError, Game, State

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
