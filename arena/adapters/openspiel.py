"""Registers our games with OpenSpiel, for its algorithms: importing this module does it.

    import arena.adapters.openspiel
    import pyspiel
    game = pyspiel.load_game("python_foreign_king(players=2,max_rounds=1)")

Each game that the registry names is there as `python_<name>`, with the parameters of `arena.adapters.spiel_parameters`.
Those of families are not: OpenSpiel has its own. A game that hides something has imperfect information, and what a
seat knows is its information state; all chance is explicit. Returns are those of `arena.adapters.utilities`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arena.adapters.errors import AdapterError
from arena.adapters.library import load
from arena.adapters.spiel_game import SpielGame, class_of
from engine import registry
from engine.abilities import need_playable

_spiel = load("pyspiel")


class GameEvaluator:
    """Values states by the game's own evaluation, for OpenSpiel's MCTS, which searches with perfect information."""

    def __init__(self, game: SpielGame) -> None:
        """Raise AdapterError for a game that hides something, and AbilityError for one without an evaluation."""
        if not isinstance(game, SpielGame):
            raise AdapterError(f"the evaluator values the games of this adapter, not {game!s:.60}; load python_...")
        rules = game.shared.setting.game
        if rules.has_hidden_information:
            raise AdapterError(
                f"{rules.name} hides something from its seats, and a search with perfect information would look at "
                "it; use OpenSpiel's ISMCTSBot, which draws the hidden part anew"
            )
        self._evaluate_all = need_playable(rules).evaluate_all

    def evaluate(self, state: Any) -> npt.NDArray[np.float64]:
        """Return the value of a state for each seat, from -1 (lost) to 1 (won)."""
        return 2 * np.array(self._evaluate_all(state.position), np.float64) - 1

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Return each action with its probability: chance's own, else all the same."""
        if state.is_chance_node():
            return list(state.chance_outcomes())
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


def _register() -> None:
    there = set(_spiel.registered_names())
    for name in registry.single_names():
        found = class_of(registry.get(name))
        if found.kind.short_name not in there:
            _spiel.register_game(found.kind, found)


_register()
