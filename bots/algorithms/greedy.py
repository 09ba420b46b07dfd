"""Plays any game by its evaluation alone: the best position that this seat can reach before another one decides.

A turn may be many decisions, and the ones in the middle look alike to an evaluation (a pawn was moved, nothing is
bought yet); so the bot looks through its own consecutive decisions, but never at an answer. In games of chance or
hidden parts it looks at one line an action instead (lines.py), under several imagined chances.
"""

from __future__ import annotations

from random import Random

from bots.algorithms.lines import best_of_lines
from bots.kit import Bot, Decision
from bots.preload import preload_rules
from engine.abilities import Playable, need_playable
from engine.chance import SeededChance
from engine.core import State

DEFAULT_NODES = 200
"""Positions looked at in one decision."""


class GreedyBot(Bot):
    """Maximises `Playable.evaluate` over its own turn; ties are drawn from the match's seed."""

    def __init__(self, nodes: int = DEFAULT_NODES) -> None:
        self._nodes = nodes

    def prepare(self) -> None:
        """See `Bot`."""
        preload_rules()

    def decide(self, decision: Decision) -> list[int]:
        """See `Bot`. The line is answered at once, up to the first outcome of chance."""
        match = decision.match
        rules = match.rules
        playable = need_playable(rules)
        if rules.has_chance or rules.has_hidden_information:
            return best_of_lines(playable, decision.state, match.random, self._nodes)
        return best_line(playable, decision.state(), self._nodes, match.random)


def best_line(game: Playable, state: State, nodes: int, random: Random) -> list[int]:
    """The decisions, forced ones left out, that lead to the best position for the seat to decide.

    It ends where another seat decides, or where the `nodes` (positions to be looked at) run out.
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
    """The value for `seat` of playing `action` and then as well as it can, and the decisions that do it."""
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
