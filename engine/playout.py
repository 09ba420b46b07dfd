"""Uniformly random play, the same for the same seed: what checks and measurements look at positions of. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from engine.abilities import Move
from engine.chance import SeededChance
from engine.core import Game, State
from engine.record import Playing


def positions(game: Game, seats: int, seed: int) -> Iterator[State]:
    """Yield every position of a random playing, start and end included: one object that moves on."""
    random = Random(seed)
    state = game.new_state(seats, chance=SeededChance(seed))
    yield state
    while state.seat() is not None:
        state.apply_unchecked(random.choice(state.legal_actions()))
        yield state


def moves(game: Game, seats: int, seed: int) -> Iterator[Move]:
    """Yield every move of a random playing with the positions before and after it, which nobody changes any more."""
    random = Random(seed)
    after = game.new_state(seats, chance=SeededChance(seed))
    while (seat := after.seat()) is not None:
        before = after
        action = random.choice(before.legal_actions())
        after = before.clone(SeededChance(random.getrandbits(32)))
        after.apply_unchecked(action)
        yield Move(before, action, game.actions.names[action], seat, after, after.revealed())


def play_random(game: Game, seats: int, seed: int) -> Playing:
    """Return a random playing that is over, every action of it checked."""
    random = Random(seed)
    playing = Playing(game, seats, game.parse_options({}), SeededChance(seed))
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    return playing
