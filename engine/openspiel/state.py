"""A position of a game of OpenSpiel: its own state, with the draws of chance left to the arena's `Chance`.

JSON tells the whole history in OpenSpiel's numbers, those of chance among them: every position follows from it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from engine.chance import Chance, SeededChance
from engine.core import Outcome, PositionError, Reveal, State
from engine.openspiel.hidden import ObservedStep, knows, look
from engine.openspiel.library import play_again

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

JSON_VERSION: Final = 1
DRAW: Final = "draw"
"""The kind of what chance reveals: OpenSpiel's number of the outcome."""
_KEYS: Final = ("game", "version", "seats", "history")


@dataclass(slots=True, eq=False, repr=False)
class OpenSpielState(State):
    """A position. Chance has always drawn: a seat decides, or the playing is over."""

    game: OpenSpielGame
    inner: Any
    """OpenSpiel's state."""
    chance: Chance
    legal: Sequence[int] | None = None
    move: ObservedStep | None = None
    """The last applied action, kept where some seat may not know it."""
    draws: tuple[ObservedStep, ...] = ()
    """What chance drew after it."""
    hidden_from: tuple[int, ...] | None = ()
    """The seats that may not know of it; None until somebody asks."""

    def seat(self) -> int | None:
        player: int = self.inner.current_player()
        return player if player >= 0 else None

    def legal_actions(self) -> Sequence[int]:
        if self.legal is None:
            self.legal = () if self.inner.is_terminal() else sorted(self.inner.legal_actions())
        return self.legal

    def is_legal(self, action: int) -> bool:
        legal = self.legal_actions()
        place = bisect_left(legal, action)
        return place < len(legal) and legal[place] == action

    def apply_unchecked(self, action: int) -> None:
        keeps = self.game.has_hidden_information
        self.move, self.hidden_from = (ObservedStep(self.inner.clone(), action), None) if keeps else (None, ())
        self.inner.apply_action(action)
        self.legal = None
        self.settle()

    def settle(self) -> None:
        """Let chance draw until a seat decides or the playing is over."""
        inner, drawn, keeps = self.inner, [], self.game.has_hidden_information
        while inner.is_chance_node():
            outcomes = inner.chance_outcomes()
            action, _ = outcomes[self.chance.draw([weight for _, weight in outcomes])]
            drawn.append(ObservedStep(inner.clone() if keeps else None, action))
            inner.apply_action(action)
        self.draws = tuple(drawn)

    def clone(self, chance: Chance | None = None) -> Self:
        source = SeededChance(None) if chance is None else chance
        return type(self)(self.game, self.inner.clone(), source, self.legal, self.move, self.draws, self.hidden_from)

    def outcome(self) -> Outcome | None:
        """Return the ranks by OpenSpiel's returns, which stand in the details as `returns`, seat by seat."""
        if not self.inner.is_terminal():
            return None
        returns = self.inner.returns()
        ranks = tuple(1 + sum(other > own for other in returns) for own in returns)
        return Outcome(ranks, {"returns": returns})

    def caretaker_action(self) -> int:
        """Return the legal action with the lowest id."""
        return self.legal_actions()[0]

    def to_json(self) -> dict[str, Any]:
        history = list(self.inner.history())
        return {"game": self.game.name, "version": JSON_VERSION, "seats": self.game.facts.seats, "history": history}

    def observation_json(self, seat: int) -> dict[str, Any]:
        """Return everything, or, where something is hidden, what OpenSpiel tells the seat."""
        if not self.game.has_hidden_information:
            return self.to_json()
        return look(self, seat).to_json()

    def revealed(self) -> Sequence[Reveal]:
        """Return what chance drew after the last action, by number, as far as all seats know it."""
        hides, seats = self.game.has_hidden_information, range(self.game.facts.seats)
        return [
            Reveal(DRAW, (draw.action,))
            for draw in self.draws
            if not hides or all(knows(self.game.inner, draw, seat) for seat in seats)
        ]

    def hides_action_from(self) -> Sequence[int]:
        move = self.move
        if self.hidden_from is None and move is not None:
            others = (seat for seat in range(self.game.facts.seats) if seat != move.seat)
            self.hidden_from = tuple(seat for seat in others if not knows(self.game.inner, move, seat))
        return self.hidden_from or ()


def begin(game: OpenSpielGame, chance: Chance | None) -> OpenSpielState:
    """Return the initial position, what chance draws before the first decision drawn."""
    state = OpenSpielState(game, game.inner.new_initial_state(), SeededChance(None) if chance is None else chance)
    state.settle()
    return state


def read(game: OpenSpielGame, data: Mapping[str, Any], chance: Chance | None) -> OpenSpielState:
    """Return the position that `to_json` described. Raises PositionError naming the key that is wrong."""
    if not isinstance(data, Mapping) or set(data) != set(_KEYS):
        raise PositionError(f"a position of {game.name} has the keys {', '.join(_KEYS)}")
    for key, value in (("game", game.name), ("version", JSON_VERSION), ("seats", game.facts.seats)):
        if type(data[key]) is not type(value) or data[key] != value:
            raise PositionError(f"{key}: expected {value!r}, not {data[key]!r:.60}")
    history = data["history"]
    if not isinstance(history, list) or not all(type(action) is int for action in history):
        raise PositionError("history: expected a list of OpenSpiel's numbers of actions")
    inner = game.inner.new_initial_state()
    play_again(inner, history)
    return OpenSpielState(game, inner, SeededChance(None) if chance is None else chance)
