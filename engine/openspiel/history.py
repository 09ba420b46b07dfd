"""A history of OpenSpiel's numbers, those of chance among them, applied step by step and never trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.core import PositionError


def play_again(inner: Any, history: Sequence[int], start: int = 0) -> None:
    """Apply a history to OpenSpiel's state, from its action number `start` on. Raises PositionError if it is none."""
    for index in range(start, len(history)):
        action = history[index]
        if not is_possible(inner, action):
            raise PositionError(f"history[{index}]: {action} cannot follow here")
        inner.apply_action(action)
    if inner.is_chance_node():
        raise PositionError(f"history[{len(history)}]: a draw of chance is missing")


def is_possible(inner: Any, action: int) -> bool:
    """Return whether an action, or an outcome of chance, can be applied to OpenSpiel's state."""
    if inner.is_terminal():
        return False
    if inner.is_chance_node():
        return any(outcome == action and weight > 0 for outcome, weight in inner.chance_outcomes())
    return action in inner.legal_actions()
