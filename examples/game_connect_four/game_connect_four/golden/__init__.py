"""What is counted and played for the golden files: `python -m engine.golden connect_four` writes them anew."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from engine.chance import SeededChance
from engine.core import State
from engine.golden import Policy, playthrough
from engine.perft import perft
from game_connect_four import GAME

_DEPTH: Final = 6
_SEED: Final = 1


def perft_counts(seats: int) -> list[int]:
    """Return how many sequences of drops there are, by length."""
    return [perft(GAME.new_state(seats), depth) for depth in range(1, _DEPTH + 1)]


def policy(seats: int) -> Policy:
    """Return what decides in the playing that is kept: every legal action with the same probability."""
    del seats
    random = Random(_SEED)
    return lambda state: random.choice(state.legal_actions())


def playthrough_lines(seats: int, choose: Policy) -> Iterator[str]:
    """Return the lines of a playing, its position shown at the start of it and at the end."""

    def is_shown(state: State) -> bool:
        return not state.to_json()["dropped"]

    return playthrough(GAME, seats, SeededChance(0), choose, is_shown=is_shown)
