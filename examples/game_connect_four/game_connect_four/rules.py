"""The rules: the seats drop discs in turn; whoever first has enough of them in a straight line wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.core import Outcome
from engine.kit.phases import OVER, Phase, PhaseTable
from game_connect_four.board import ACTIONS, COLUMNS, ROWS
from game_connect_four.state import DROP, END, NOBODY, PHASES, ConnectFourState, drop

RANKS: Final = {NOBODY: (1, 1), 0: (1, 2), 1: (2, 1)}
"""Ranks of the seats by winner."""


def legal(state: ConnectFourState) -> Sequence[int]:
    """Return the columns that have room, ascending."""
    return [column for column in range(COLUMNS) if state.heights[column] < ROWS]


def is_legal(state: ConnectFourState, action: int) -> bool:
    """Tell whether the action is a column that has room."""
    return 0 <= action < COLUMNS and state.heights[action] < ROWS


def decider(state: ConnectFourState) -> int | None:
    """Return who drops the next disc."""
    return len(state.dropped) % 2


def outcome(state: ConnectFourState) -> Outcome:
    """Return the result: the winner is first, or both are after a full board."""
    end = "full" if state.winner == NOBODY else "line"
    return Outcome(RANKS[state.winner], {"end": end, "discs": len(state.dropped)})


TABLE: Final = PhaseTable(
    ConnectFourState,
    PHASES,
    {DROP: Phase(legal=legal, is_legal=is_legal, apply=drop, decides=decider), END: OVER},
    actions=len(ACTIONS),
    outcome=outcome,
)
