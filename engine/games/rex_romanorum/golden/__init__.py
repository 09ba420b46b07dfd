"""What is counted and played for the golden files (`engine.golden`); equal seeds give equal chance on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from engine.chance import SeededChance
from engine.core import State
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.state import TURN, RexState
from engine.golden import Policy, playthrough
from engine.perft import perft

SEEDS: Final[Mapping[int, int]] = {2: 61, 3: 22, 4: 66, 5: 47}
"""Of the playings: between them every kind of action is taken."""
OPTIONS: Final = {"round_limit": 15}
"""Of the playings, to keep them short."""
PERFT_SEED: Final = 1
_OPENING_PLIES: Final = 60
_MIDDLE_PLIES: Final = 300
_DEPTHS: Final = {"start": 8, "opening": 5, "middle": 5}


def policy(seats: int) -> Policy:
    """Return a policy that is uniformly random, but prefers attacks and royal elections where they are possible."""
    random = Random(SEEDS[seats])

    def choose(state: State) -> int:
        legal = state.legal_actions()
        if isinstance(state, RexState) and state.phase == TURN and random.random() < 0.3:
            return legal[-1]
        return random.choice(legal)

    return choose


def positions(seats: int) -> Iterator[tuple[str, RexState]]:
    """Yield the positions from which sequences are counted: the start, early and in the middle of a random playing."""
    random, state = Random(PERFT_SEED), GAME.new_state(seats, chance=SeededChance(PERFT_SEED))
    yield "start", state.clone()
    for ply in range(1, _MIDDLE_PLIES + 1):
        state.apply(random.choice(state.legal_actions()))
        if ply == _OPENING_PLIES:
            yield "opening", state.clone()
    yield "middle", state.clone()


def perft_counts(seats: int) -> dict[str, list[int]]:
    """Return the numbers of sequences of 1, 2, ... decisions from each of `positions`."""
    return {
        name: [perft(state, depth, PERFT_SEED) for depth in range(1, _DEPTHS[name] + 1)]
        for name, state in positions(seats)
    }


def playthrough_lines(seats: int, choose: Policy) -> Iterator[str]:
    """Yield the lines of a playing, with the position at the beginning of every tenth round."""
    shown = 0

    def is_shown(state: State) -> bool:
        nonlocal shown
        if isinstance(state, RexState) and state.round % 10 == 1 and state.round != shown:
            shown = state.round
            return True
        return False

    return playthrough(GAME, seats, SeededChance(SEEDS[seats]), choose, OPTIONS, is_shown)
