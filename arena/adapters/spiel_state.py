"""A position as a state of OpenSpiel, whose chance is nodes of its own.

What chance decides during an action is asked one outcome at a time: the action is played again from the position before
it with the answers so far, until none is missing. A position that was reached is never changed, only copied, so that
clones share it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Self

from arena.adapters.errors import AdapterError
from arena.adapters.library import load
from arena.adapters.setting import GameSetting
from arena.adapters.spiel_chance import AnsweredChance, Odds, Unanswered
from arena.adapters.utilities import utilities
from engine.abilities import need_playable
from engine.core import State
from engine.record import UNKNOWN_ACTION

_spiel = load("pyspiel")
_CHANCE = _spiel.PlayerId.CHANCE
_TERMINAL = _spiel.PlayerId.TERMINAL


class Shared:
    """What all states of a game share."""

    def __init__(self, setting: GameSetting) -> None:
        self.setting = setting
        self.hides = setting.game.has_hidden_information
        self.start = reach(setting, Known(None, ((),) * (setting.seats if self.hides else 0)))
        """Where every playing begins; OpenSpiel makes a state anew for each clone."""

    def __deepcopy__(self, memo: Any) -> Self:
        return self


Memories = tuple[tuple[str, ...], ...]
"""For each seat all that it was told, in order; empty for a game that hides nothing."""


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
    """A state of `arena.adapters.spiel_game.SpielGame`."""

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
            self._known = reach(self._shared.setting, Known(known.position, self._remember(), action))

    def _action_to_string(self, player: int, action: int) -> str:
        return f"chance {action}" if player == _CHANCE else self._shared.setting.game.actions.format(action)

    def __str__(self) -> str:
        known = self._known
        position = "nothing yet" if known.position is None else json.dumps(known.position.to_json())
        return f"{position} {known.action}:{known.answers}" if known.odds else position

    def _remember(self) -> Memories:
        """Return what the seats remember when the one has decided that decides now."""
        memories, position = self._known.memories, self._reached()
        seat = position.seat()
        if not memories or seat is None:
            return memories
        seen = json.dumps(position.observation_json(seat), sort_keys=True)
        return tuple((*memory, seen) if owner == seat else memory for owner, memory in enumerate(memories))

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
