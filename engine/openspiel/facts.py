"""What is said of a game of OpenSpiel before anybody plays it, and how that is found out from OpenSpiel itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from engine.core import UnknownGameError
from engine.openspiel.library import load
from engine.openspiel.naming import read_parameters, split_name, write_name
from engine.openspiel.wording import words_of

MOST_ACTIONS: Final = 2**15
"""A bot is told the notation of every action, which must fit into a message."""
MOST_PLIES: Final = 100_000
_BROKEN: Final = {"quoridor": "OpenSpiel says itself that its rules have known issues, and with four seats it fails"}
_SAMPLES: Final = 6
"""So many random playings are looked at."""
_SHORTEST: Final = 3
"""A playing shorter than this has no room for an opening."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A game and what the arena must know of it; lengths come from random playings."""

    name: str
    title: str
    seats: int
    actions: int
    max_plies: int
    has_chance: bool
    is_hidden: bool
    """Whether a seat may not see everything."""
    has_fixed_words: bool
    """Whether OpenSpiel's words for an action are the same in every position: then they tell nothing that is hidden."""
    opening: int
    """How many random plies start a match."""
    decisions: int
    """About how many decisions a playing has."""


def load_game(name: str) -> Any:
    """Return OpenSpiel's game of that name. Raises UnknownGameError with the reason if it cannot be played here."""
    short_name, texts = split_name(name)
    spiel = load()
    kinds = {kind.short_name: kind for kind in spiel.registered_games()}
    if short_name not in kinds:
        raise UnknownGameError(
            f"OpenSpiel has no game {short_name!r}; `arena game list` shows those that can be played"
        )
    kind = kinds[short_name]
    if why := why_not(spiel, kind):
        raise UnknownGameError(f"{name} cannot be played in the arena: {why}; `arena game list` shows those that can")
    parameters = read_parameters(name, texts, kind.parameter_specification)
    proper = write_name(short_name, parameters, kind.parameter_specification)
    if name != proper:
        raise UnknownGameError(f"{name} is written {proper}: parameters in order, and no default among them")
    try:
        game = spiel.load_game(short_name, parameters)
        game.new_initial_state()
    except spiel.SpielError as error:
        raise UnknownGameError(f"OpenSpiel refuses {name}: {' '.join(str(error).split())[:200]}") from error
    if why := _why_too_large(game):
        raise UnknownGameError(f"{name} cannot be played in the arena: {why}; `arena game list` shows those that can")
    return game


def why_not(spiel: Any, kind: Any) -> str:
    """Return why games of this type cannot be played in the arena, or nothing if they can."""
    types = spiel.GameType
    if kind.short_name in _BROKEN:
        return _BROKEN[kind.short_name]
    if kind.dynamics == types.Dynamics.SIMULTANEOUS:
        return "its seats act at the same time"
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "it has no seats that act one after another"
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its chance itself, so that no match of it could be recorded"
    if not kind.default_loadable:
        return "it is made of other games and cannot be named alone"
    if kind.max_num_players < 2:
        return "it is played alone, and an arena needs two seats"
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        return "it does not tell what a seat sees"
    return ""


def _why_too_large(game: Any) -> str:
    """Return why a game cannot be played with its parameters, or nothing if it can."""
    if game.num_players() < 2:
        return "it is played alone, and an arena needs two seats"
    if not 0 < game.num_distinct_actions() <= MOST_ACTIONS:
        return f"it has {game.num_distinct_actions()} actions, and 1 to {MOST_ACTIONS} can be told to bots"
    if not 0 < game.max_game_length() <= MOST_PLIES:
        return f"its playings may have {game.max_game_length()} plies, and the arena plays at most {MOST_PLIES}"
    return ""


def find_out(name: str) -> Facts:
    """Return the facts of a game from OpenSpiel and some random playings. Raises UnknownGameError."""
    game = load_game(name)
    kind = game.get_type()
    playings = [random_playing(game, seed) for seed in range(_SAMPLES)]
    lengths = [plies for plies, _ in playings]
    has_chance = any(draws for _, draws in playings)  # chess with a drawn line-up says that it has none
    if min(lengths) < _SHORTEST and not has_chance:
        raise UnknownGameError(f"{name} cannot be played in the arena: its playings are too short for an opening")
    return Facts(
        name=name,
        title=_title(kind.long_name, name),
        seats=game.num_players(),
        actions=game.num_distinct_actions(),
        max_plies=game.max_game_length(),
        has_chance=has_chance,
        is_hidden=kind.information != load().GameType.Information.PERFECT_INFORMATION,
        has_fixed_words=has_fixed_words(game),
        opening=0 if has_chance else min(game.num_players(), (min(lengths) - 1) // 2),
        decisions=max(1, min(sorted(lengths)[len(lengths) // 2], game.max_game_length() - 1)),
    )


def _title(long_name: str, name: str) -> str:
    """Return the name for people: OpenSpiel's own, with the parameters that are not the default."""
    _, parameters = split_name(name)
    shown = ", ".join(f"{key} {value}" for key, value in parameters.items())
    return f"{long_name} (OpenSpiel, {shown})" if shown else f"{long_name} (OpenSpiel)"


def random_playing(game: Any, seed: int) -> tuple[int, int]:
    """Return how many plies a random playing has, and how many draws of chance."""
    plies = draws = 0
    for state in random_states(game, seed):
        draws += state.is_chance_node()
        plies += not state.is_chance_node() and not state.is_terminal()
    return plies, draws


def has_fixed_words(game: Any) -> bool:
    """Return whether no action of a seat had other words in one position of some random playings than in another."""
    known: dict[tuple[int, int], str] = {}
    for seed in range(_SAMPLES):
        for state in random_states(game, seed):
            seat = state.current_player()
            for action in state.legal_actions() if seat >= 0 else ():
                if known.setdefault((seat, action), words := words_of(state, action)) != words:
                    return False
    return True


def random_states(game: Any, seed: int) -> Iterator[Any]:
    """Yield every state of a random playing, chance and the end among them: one object that moves on."""
    random, state = Random(seed), game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            actions = [action for action, weight in state.chance_outcomes() if weight > 0]
        else:
            actions = state.legal_actions()
        state.apply_action(random.choice(actions))
        yield state
