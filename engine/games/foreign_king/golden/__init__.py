"""What is counted and played for the golden files (`engine.golden`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from engine.chance import SeededChance
from engine.core import State
from engine.games.foreign_king import GAME
from engine.games.foreign_king.state import ForeignKingState
from engine.golden import Policy, playthrough
from engine.perft import perft

SEEDS: Final[Mapping[int, int]] = {2: 240, 3: 194, 4: 133}
"""Of playings that come through every phase their number of seats has."""
_DEPTH: Final = 8


def perft_counts(seats: int) -> list[int]:
    """Count from the start; an independent implementation counted the first three depths too (section 9)."""
    return [perft(GAME.new_state(seats), depth) for depth in range(1, _DEPTH + 1)]


def policy(seats: int) -> Policy:
    """Return a policy that chooses uniformly at random, the same on every call."""
    random = Random(SEEDS[seats])
    return lambda state: random.choice(state.legal_actions())


def playthrough_lines(seats: int, choose: Policy) -> Iterator[str]:
    """Return the lines of a playing that shows its position at the beginning of every round."""
    shown = 0

    def is_shown(state: State) -> bool:
        nonlocal shown
        if isinstance(state, ForeignKingState) and state.round != shown:
            shown = state.round
            return True
        return False

    return playthrough(GAME, seats, SeededChance(0), choose, {}, is_shown)
