"""Registers our games with OpenSpiel, for its algorithms: importing this module does it.

    import arena.adapters.openspiel
    import pyspiel
    game = pyspiel.load_game("python_foreign_king(players=2,max_rounds=1)")

Each game that the registry names is there as `python_<name>`, with the parameter `players` and the game's
options by their names: a number, a truth value or a word is a parameter of that kind. Any other option (a list, a
block, a phrase) is a text, as on the command line, and empty for the default: OpenSpiel writes parameters as
`name=value,...`, and reads no value with a comma, a bracket or an equals sign in it, so such a one is given in a dict
and not in the name of the game.

Those of families are not: OpenSpiel has its own. A game that hides something has imperfect information, and what a
seat knows is its information state; all chance is explicit. Returns are those of `arena.adapters.setting.utilities`.

What chance decides during an action is asked one outcome at a time: the action is played again from the position before
it with the answers so far, until none is missing. A position that was reached is never changed, only copied, so that
clones share it.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from arena.adapters.features import features_of
from arena.adapters.library import AdapterError, load
from arena.adapters.setting import GameSetting, setting_of, utilities
from arena.adapters.spiel_chance import MOST_OUTCOMES, AnsweredChance, Odds, Unanswered
from engine import registry
from engine.abilities import need_playable
from engine.core import Game, State
from engine.record import UNKNOWN_ACTION

PLAYERS = "players"
"""The number of seats, as OpenSpiel's own games call it."""
_WORD: Final = re.compile(r"\w+")
Parameters = dict[str, bool | int | float | str]
_spiel = load("pyspiel")
_CHANCE = _spiel.PlayerId.CHANCE
_TERMINAL = _spiel.PlayerId.TERMINAL
Memories = tuple[tuple[str, ...], ...]
"""For each seat all that it was told, in order; empty for a game that hides nothing."""
_Type = _spiel.GameType
_MOST_CHANCE = 100
"""How many chance nodes an action may have, for what OpenSpiel wants to know of the length of a game."""


def parameters_of(game: Game) -> Parameters:
    """Return all parameters with their defaults."""
    defaults = game.options_json(game.parse_options({}))
    found: Parameters = {PLAYERS: game.seats[0]}
    for name, value in defaults.items():
        is_simple = bool(_WORD.fullmatch(value)) if isinstance(value, str) else isinstance(value, bool | int | float)
        found[name] = value if is_simple else ""
    return found


class SpielObserver:
    """Observes one state at a time; OpenSpiel reads `tensor` and `dict` after `set_from`."""

    def __init__(self, setting: GameSetting, *, recalls: bool) -> None:
        """With `recalls`, the text tells all that a seat was told so far, and not only what it sees now."""
        self._features = features_of(setting.game, setting.seats, setting.options) if setting.game.featured else None
        self._recalls = recalls
        shape = self._features.shape if self._features else (0,)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        """The planes, one after another; all 0 while chance sets up the first position."""
        self.dict = {"observation": self.tensor.reshape(shape)}
        """The same with its shape."""

    def set_from(self, state: Any, player: int) -> None:
        """Look at a state as a seat."""
        if self._features and state.position is None:
            self.tensor.fill(0)
        elif self._features:
            self._features.write(state.position, player, self.dict["observation"])

    def string_from(self, state: Any, player: int) -> str:
        """Return what a seat sees, as text; the same text means that it cannot tell the states apart."""
        if self._recalls and not state.hides:
            return str(state.history_str())
        position = state.position
        now = "" if position is None else json.dumps(position.observation_json(player), sort_keys=True)
        return "\n".join((f"seat {player}", *state.memory(player), now)) if self._recalls else now


class Shared:
    """What all states of a game share."""

    def __init__(self, setting: GameSetting) -> None:
        self.setting = setting
        self.hides = setting.game.has_hidden_information
        self.start = reach(setting, Known(None, ((),) * (setting.seats if self.hides else 0)))
        """Where every playing begins; OpenSpiel makes a state anew for each clone."""

    def __deepcopy__(self, memo: Any) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class Known:
    """Where a playing stands. All clones of a state share it, as nobody changes it."""

    position: State | None
    """The last position that was reached; None before chance has set up the first."""
    memories: Memories
    action: int = -1
    """The action that chance is asked about; -1 stands for the setting up."""
    answers: tuple[int, ...] = ()
    odds: Odds = ()
    """What chance may answer; empty if it is not asked."""

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class SpielState(_spiel.State):  # type: ignore[misc, name-defined]
    """A state of a `SpielGame`."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._known: Known = game.shared.start

    @property
    def _shared(self) -> Shared:
        # Not an attribute: OpenSpiel pickles those, and options need not be made for that.
        shared: Shared = self.get_game().shared
        return shared

    # For those of us who look at a state.

    @property
    def position(self) -> State | None:
        """The last position that was reached; None while chance sets up the first. Do not change it."""
        return self._known.position

    @property
    def hides(self) -> bool:
        """Whether the game hides something from a seat."""
        return self._shared.hides

    def memory(self, seat: int) -> Sequence[str]:
        """Return all that a seat was told, in order; nothing in a game that hides nothing."""
        return self._known.memories[seat] if self._known.memories else ()

    # For OpenSpiel.

    def current_player(self) -> int:
        """Return the seat that decides, or OpenSpiel's number for chance or the end."""
        if self._known.odds:
            return int(_CHANCE)
        seat = self._reached().seat()
        return int(_TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.current_player() == int(_TERMINAL)

    def returns(self) -> list[float]:
        """Return what the end is worth to each seat, and 0 before it."""
        outcome = None if self._known.odds else self._reached().outcome()
        return [0.0] * self._shared.setting.seats if outcome is None else list(utilities(outcome.ranks))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may do now, with probabilities."""
        return list(self._known.odds)

    def resample_from_infostate(self, player_id: int, sampler: Callable[[], float]) -> Any:
        """Return a state that looks like this one to a seat, with what is hidden from it drawn anew.

        Raises AdapterError where chance is asked, and for a seat that there is not.
        """
        if self._known.odds:
            raise AdapterError("nothing is drawn anew while chance is asked; apply one of chance_outcomes() first")
        if player_id not in range(self._shared.setting.seats):
            raise AdapterError(f"there is no seat {player_id!r:.60}; there are 0 to {self._shared.setting.seats - 1}")
        state = self.clone()
        redraw = need_playable(self._shared.setting.game).redraw
        drawn = redraw(self._reached(), player_id, Random(sampler()))
        state.go_on_from(drawn)
        return state

    def go_on_from(self, position: State) -> None:
        """Go on from another position that looks the same to who decides."""
        self._known = Known(position, self._known.memories)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._reached().legal_actions()) if player == self.current_player() else []

    def _apply_action(self, action: int) -> None:
        known = self._known
        if known.odds:
            if all(action != outcome for outcome, _ in known.odds):
                raise ValueError(f"chance cannot do {action} here; it can do {[outcome for outcome, _ in known.odds]}")
            answers = (*known.answers, action)
            self._known = reach(self._shared.setting, replace(known, answers=answers, odds=()))
        else:
            memories, position = known.memories, self._reached()
            if memories and (seat := position.seat()) is not None:  # who decides remembers what was seen
                seen = json.dumps(position.observation_json(seat), sort_keys=True)
                memories = tuple((*memory, seen) if owner == seat else memory for owner, memory in enumerate(memories))
            self._known = reach(self._shared.setting, Known(position, memories, action))

    def _action_to_string(self, player: int, action: int) -> str:
        return f"chance {action}" if player == _CHANCE else self._shared.setting.game.actions.format(action)

    def __str__(self) -> str:
        known = self._known
        position = "nothing yet" if known.position is None else json.dumps(known.position.to_json())
        return f"{position} {known.action}:{known.answers}" if known.odds else position

    def _reached(self) -> State:
        position = self._known.position
        assert position is not None, "chance sets up the first position"
        return position


def reach(setting: GameSetting, known: Known) -> Known:
    """Return what is known when the action was played with the answers, or that chance is asked once more."""
    before, chance = known.position, AnsweredChance(known.answers)
    try:
        if before is None:
            return Known(setting.game.new_state(setting.seats, setting.options, chance), known.memories)
        position = before.clone(chance)
        position.apply(known.action)
    except Unanswered as asked:
        return replace(known, odds=asked.odds)
    return Known(position, _update(known.memories, known.action, before, position))


def _update(memories: Memories, action: int, before: State, after: State) -> Memories:
    """Return what the seats remember when an action was played, and chance with it."""
    if not memories:
        return memories
    hidden, chance = after.hides_action_from(), [(seen.kind, *seen.values) for seen in after.revealed()]
    return tuple(
        (*memory, f"{before.seat()}:{UNKNOWN_ACTION if seat in hidden else action}:{chance}")
        for seat, memory in enumerate(memories)
    )


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
        given = params or {}
        defaults = parameters_of(self.played)
        named = {name: value for name, value in given.items() if name != PLAYERS}
        # The default of one option may depend on another, so what was not chosen is left out.
        chosen = {name: value for name, value in named.items() if value != defaults.get(name)}
        setting = setting_of(self.played, given.get(PLAYERS, defaults[PLAYERS]), chosen)
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
