"""Writes openings as a book of games that fastchess reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyspiel

_GAME = """[Event "Opening"]
[Result "*"]

{moves} *

"""


def write_book(openings: Iterable[Sequence[int]]) -> str:
    """Return a PGN in which each opening, the ids of its actions, is a game that nobody has finished."""
    return "".join(_GAME.format(moves=" ".join(_numbered(_moves(opening)))) for opening in openings)


def _moves(opening: Sequence[int]) -> list[str]:
    state = pyspiel.load_game("chess").new_initial_state()
    moves = []
    for action in opening:
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    return moves


def _numbered(moves: Sequence[str]) -> list[str]:
    return [f"{index // 2 + 1}. {move}" if index % 2 == 0 else move for index, move in enumerate(moves)]
