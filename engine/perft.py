"""Counts decision sequences: the quickest way to see whether two engines agree, and to find where they do not.

Chance, where a game has it, is scripted or seeded by the caller: every branch draws the same outcomes.
"""

from __future__ import annotations

from engine.core import State


def perft(state: State, depth: int) -> int:
    """The number of sequences of `depth` decisions from here, forced ones included; shorter ones end the game.

    A sequence that ends the game before `depth` counts nothing, as in chess.
    """
    if depth == 0:
        return 1
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        child = state.clone()
        child.apply_unchecked(action)
        total += perft(child, depth - 1)
    return total


def breakdown(state: State, depth: int) -> dict[int, int]:
    """`perft(state, depth)` split by first action: compare with another engine's, then follow the one that differs."""
    if depth < 1:
        raise ValueError("a breakdown needs a depth of at least 1")
    counts: dict[int, int] = {}
    for action in state.legal_actions():
        child = state.clone()
        child.apply_unchecked(action)
        counts[action] = perft(child, depth - 1)
    return counts
