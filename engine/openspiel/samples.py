"""Random playings of OpenSpiel's own games, from which is found out what they do not say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from engine.openspiel.wording import words_of

NUMBER: Final = 6
"""So many random playings are looked at."""


class DeadEndError(ValueError):
    """A position is not the end, and yet nobody can act in it: OpenSpiel took parameters that make no game."""


def random_playing(game: Any, seed: int) -> tuple[int, int]:
    """Return how many plies a random playing has, and how many draws of chance. Raises DeadEndError."""
    plies = draws = 0
    for state in random_states(game, seed):
        draws += state.is_chance_node()
        plies += not state.is_chance_node() and not state.is_terminal()
    return plies, draws


def has_fixed_words(game: Any) -> bool:
    """Return whether no action of a seat had other words in one position of some random playings than in another."""
    known: dict[tuple[int, int], str] = {}
    for seed in range(NUMBER):
        for state in random_states(game, seed):
            seat = state.current_player()
            for action in state.legal_actions() if seat >= 0 else ():
                if known.setdefault((seat, action), words := words_of(state, action)) != words:
                    return False
    return True


def random_states(game: Any, seed: int) -> Iterator[Any]:
    """Yield every state of a random playing, chance and the end among them: one object that moves on.

    Raises DeadEndError.
    """
    random, state = Random(seed), game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            actions = [action for action, weight in state.chance_outcomes() if weight > 0]
        else:
            actions = state.legal_actions()
        if not actions:
            raise DeadEndError
        state.apply_action(random.choice(actions))
        yield state
