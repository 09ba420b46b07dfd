"""Plays any game by its evaluation alone: goes for the best position that it can reach before another seat decides.

It looks at whole turns of its own, but never at what another seat may do. In games of chance or hidden parts it looks
at one line for each action instead, with several draws of what it cannot know. move_sequences.py finds both.
"""

from __future__ import annotations

from random import Random

from bots.algorithms.move_sequences import best_of_lines, find_turns
from bots.kit import Bot, Decision
from engine.abilities import Playable, need_playable
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
        playable = need_playable(rules)
        if rules.has_chance or rules.has_hidden_information:
            return best_of_lines(playable, decision.state, match.random, self._nodes)
        return best_turn(playable, decision.state(), self._nodes, match.random)


def best_turn(game: Playable, state: State, nodes: int, random: Random) -> list[int]:
    """Return the decisions, forced ones left out, that lead to the best position for the seat that decides.

    `nodes` positions are looked at; what they do not reach to the end of the turn is decided later. Ties are drawn.
    Raises ValueError after the end of the game.
    """
    turns = find_turns(game, state, nodes)
    seat = state.seat()
    assert seat is not None, "there are turns only while somebody decides"
    best = turns[0].values[seat]
    return list(random.choice([turn.actions for turn in turns if turn.values[seat] == best]))
