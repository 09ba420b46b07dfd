"""OpenSpiel itself: the version that is installed, its module, and what is asked of its games and states directly.

`pyspiel` is imported by `load` alone, when a game is played.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from random import Random
from typing import Any, Final

from engine.core import PositionError, UnknownGameError
from engine.translatable import Text

VERSION: Final = "2.0.2"
"""The only version that is played: its rules stand in every record, and another one's may differ."""
REMEDY: Final = Text("install it by `pip install 'kingmaker-arena[openspiel]'`")
SAMPLES: Final = 6
"""How many random playings show what OpenSpiel does not say of a game."""
_DISTRIBUTION: Final = "open_spiel"
_COLOUR: Final = re.compile("\x1b\\[[0-9;]*m")
_PLAIN: Final = str.maketrans("{}<>\n\t", "()()  ")


@cache
def installed_version() -> str | None:
    """Return the version of OpenSpiel that is installed, or None. OpenSpiel is not imported for it."""
    try:
        return metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return None


def is_usable() -> bool:
    """Return whether the version that is played is installed."""
    return installed_version() == VERSION


def need_usable(name: str) -> None:
    """Raise UnknownGameError with the remedy unless games can be played here; `name` is what was asked for."""
    installed = installed_version()
    if installed is None:
        raise UnknownGameError(
            Text(
                "{name} is a game of OpenSpiel {version}, which is not installed; {remedy}",
                name=name,
                version=VERSION,
                remedy=REMEDY,
            )
        )
    if installed != VERSION:
        raise UnknownGameError(
            Text(
                "{name} is a game of OpenSpiel {version}, and {installed} is installed; {remedy}",
                name=name,
                version=VERSION,
                installed=installed,
                remedy=REMEDY,
            )
        )


@cache
def load() -> Any:
    """Return the module `pyspiel`. Raises UnknownGameError if it cannot be loaded."""
    try:
        import pyspiel
    except ImportError as error:
        raise UnknownGameError(
            Text(
                "OpenSpiel {version} cannot be loaded ({error}); {remedy}", version=VERSION, error=error, remedy=REMEDY
            )
        ) from error
    return pyspiel


def words_of(inner: Any, action: int) -> str:
    """Return OpenSpiel's words for an action in a state, on one line; its number if there are none."""
    try:
        text = inner.action_to_string(inner.current_player(), action)
    except load().SpielError:
        text = ""
    text = "".join(sign for sign in without_colour(text).translate(_PLAIN) if sign.isprintable())
    return " ".join(text.split()) or f"A{action}"


def without_colour(text: str) -> str:
    """Return a text without the marks by which a terminal colours it."""
    return _COLOUR.sub("", text)


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
    for seed in range(SAMPLES):
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
