"""The class of a game of OpenSpiel, made from a game of ours."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from arena.adapters.library import load
from arena.adapters.spiel_chance import MOST_OUTCOMES
from arena.adapters.spiel_observer import SpielObserver
from arena.adapters.spiel_parameters import parameters_of, setting_from
from arena.adapters.spiel_state import Shared, SpielState
from engine.core import Game

_spiel = load("pyspiel")
_Type = _spiel.GameType
_MOST_CHANCE = 100
"""How many chance nodes an action may have, for what OpenSpiel wants to know of the length of a game."""


def type_of(game: Game) -> Any:
    """Return what OpenSpiel is told of a game, whatever its parameters."""
    chance, information = _Type.ChanceMode, _Type.Information
    return _Type(
        short_name=f"python_{game.name}",
        long_name=game.title,
        dynamics=_Type.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if game.has_chance else chance.DETERMINISTIC,
        information=(
            information.IMPERFECT_INFORMATION if game.has_hidden_information else information.PERFECT_INFORMATION
        ),
        utility=_Type.Utility.ZERO_SUM,
        reward_model=_Type.RewardModel.TERMINAL,
        max_num_players=game.seats[-1],
        min_num_players=game.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=game.featured is not None,
        parameter_specification=parameters_of(game),
    )


class SpielGame(_spiel.Game):  # type: ignore[misc, name-defined]
    """A game with its parameters; a subclass says which game it is, as OpenSpiel makes games by their classes."""

    played: Game
    kind: Any
    """What `type_of` returned for it."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        setting = setting_from(self.played, params or {})
        self.shared = Shared(setting)
        """What its states share."""
        info = _spiel.GameInfo(
            num_distinct_actions=len(setting.game.actions),
            max_chance_outcomes=MOST_OUTCOMES if setting.game.has_chance else 0,
            num_players=setting.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=setting.game.max_plies,
        )
        super().__init__(self.kind, info, params or {})

    def __reduce__(self) -> Any:
        """Be pickled by name and parameters, as its class is made where this adapter is imported."""
        return load_again, (self.kind.short_name, self.get_parameters())

    def new_initial_state(self, state: Any = None) -> SpielState:
        """Return the start of a playing. Raises ValueError for a state to begin from, which it cannot read."""
        if state is not None:
            raise ValueError("a playing begins at its beginning; play its actions to come to another state")
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return more than there can be."""
        return self.shared.setting.game.max_plies * _MOST_CHANCE if self.shared.setting.game.has_chance else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """Return what shows a state to a seat. Raises ValueError for parameters, of which there are none."""
        if params:
            raise ValueError(f"observers of {self.played.name} take no parameters, and were given {params}")
        recalls = iig_obs_type is not None and iig_obs_type.perfect_recall
        return SpielObserver(self.shared.setting, recalls=recalls)


def load_again(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return a game by OpenSpiel's name of it, in a process that may not have imported the adapter yet."""
    importlib.import_module("arena.adapters.openspiel")
    return _spiel.load_game(name, parameters)


def class_of(game: Game) -> type[SpielGame]:
    """Return the class of a game."""
    return type(f"Spiel_{game.name}", (SpielGame,), {"played": game, "kind": type_of(game), "__doc__": game.title})
