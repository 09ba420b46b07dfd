"""Counts decision sequences: the quickest way to see whether two engines agree, and to find where they do not.

Chance, where a game has it, is seeded: after every action the outcomes are the first ones of the same seed, so that a
count can be repeated.
"""

from __future__ import annotations

from engine.chance import SeededChance
from engine.core import State


def perft(state: State, depth: int, seed: int = 0) -> int:
    """Return the number of sequences of `depth` decisions from here, forced ones included.

    A sequence that ends the game before `depth` counts nothing, as in chess.
    """
    if depth == 0:
        return 1
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(_after(state, action, seed), depth - 1, seed) for action in actions)


def breakdown(state: State, depth: int, seed: int = 0) -> dict[int, int]:
    """Return `perft(state, depth)` split by first action, to be compared with another engine's."""
    if depth < 1:
        raise ValueError("a breakdown needs a depth of at least 1")
    return {action: perft(_after(state, action, seed), depth - 1, seed) for action in state.legal_actions()}


def _after(state: State, action: int, seed: int) -> State:
    child = state.clone(SeededChance(seed))
    child.apply_unchecked(action)
    return child
