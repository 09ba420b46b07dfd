"""Plays any game by its evaluation alone: goes for the best position that it can reach before another seat decides.

A turn may be many decisions, and the positions in its middle look alike to an evaluation (a pawn was moved, nothing is
bought yet). So the bot looks through its own consecutive decisions, but never at what another seat may do. In games of
chance or hidden parts it looks at one line for each action instead (lines.py), with several draws of what it cannot
know.
"""

from __future__ import annotations

from random import Random

from benchmarks.baselines.lines import best_of_lines
from benchmarks.baselines.playables import frozen_playable
from bots.kit import Bot, Decision, decide_turn
from engine.abilities import Playable
from engine.chance import SeededChance
from engine.core import State

DEFAULT_NODES = 200
"""The number of positions that are looked at in one decision."""


class GreedyBot(Bot):
    """A bot that maximises `Playable.evaluate` over its own turn and draws ties from the match's seed."""

    def __init__(self, nodes: int = DEFAULT_NODES) -> None:
        self._nodes = nodes

    def decide(self, decision: Decision) -> list[int]:
        """Answer the whole turn at once, up to the first outcome of chance."""
        match = decision.match
        rules = match.rules
        playable = frozen_playable(rules)
        if rules.has_chance or rules.has_hidden_information:
            return best_of_lines(playable, decision.state, match.random, self._nodes)
        return best_turn(playable, decision.state(), self._nodes, match.random)


def best_turn(game: Playable, state: State, nodes: int, random: Random) -> list[int]:
    """Return the decisions of a whole turn: one best line after another. `state` is played on."""
    line: list[int] = []

    def choose(here: State) -> int:
        if not line:
            line.extend(best_line(game, here, nodes, random))
        return line.pop(0)

    return decide_turn(state, choose)


def best_line(game: Playable, state: State, nodes: int, random: Random) -> list[int]:
    """Return the decisions, forced ones left out, that lead to the best position for the seat that decides.

    The search ends where another seat decides, or where the `nodes` (positions to be looked at) run out.
    """
    seat = state.seat()
    if seat is None:
        raise ValueError("the game is over; there is nothing to decide")
    best_value = float("-inf")
    best: list[list[int]] = []
    actions = state.legal_actions()
    for action in actions:
        value, line = _look(game, state, action, seat, nodes // len(actions), random)
        if value > best_value:
            best_value, best = value, []
        if value == best_value:
            best.append(line)
    return random.choice(best)[:64]


def _look(game: Playable, state: State, action: int, seat: int, nodes: int, random: Random) -> tuple[float, list[int]]:
    """Return the value for `seat` of playing `action` and then as well as it can, and the decisions that do so."""
    # Dice and cards as the bot imagines them, so that equal seeds give equal play.
    child = state.clone(SeededChance(random.getrandbits(53)))
    child.apply_unchecked(action)
    actions = child.legal_actions()
    while child.seat() == seat and len(actions) == 1:
        child.apply_unchecked(actions[0])
        actions = child.legal_actions()
    if child.seat() != seat or nodes < len(actions):
        return game.evaluate(child, seat), [action]
    value, line = max(
        (_look(game, child, following, seat, nodes // len(actions), random) for following in actions),
        key=lambda found: found[0],
    )
    return value, [action, *line]
