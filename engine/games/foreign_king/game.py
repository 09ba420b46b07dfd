"""The game as the registry hands it out; everything is delegated, the heavy parts on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.chance import Chance
from engine.core import Game, State
from engine.games.foreign_king import options as choices
from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.options import Options
from engine.games.foreign_king.position import set_up
from engine.games.foreign_king.state import ForeignKingState

# No playing is longer, by adding up what a turn can hold. Medals are at most 9, so TURN has at most 9 LOANs and POST at
# most 9 LOANs or REPAYs and one END_TURN. An action is chosen at most twice (the Queen). The longest action but the
# King's units is a Move: MOVE_FROM, at most 15 discs that leave their source for good, MOVE_STOP. A round has at most
# two ORDER decisions (A26). Units (two plies each) are fewer than points in play: 45 from factories, and floor(15 / 3)
# in each of at most 16 scorings (A5).
_TURN_PLIES = 9 + 9 + 1 + 2 + (1 + 15 + 1)
_ROUND_PLIES = 4 * _TURN_PLIES + 2
_UNIT_PLIES = 2 * (45 + 16 * 5)


class ForeignKing(Game):
    """The Foreign King."""

    name = "foreign_king"
    title = "The Foreign King"
    rules_version = "1"
    seats = range(2, 5)
    actions = ACTIONS
    options_type = Options
    max_plies = choices.HIGHEST_CAP * _ROUND_PLIES + _UNIT_PLIES
    has_chance = False
    has_hidden_information = False

    def parse_options(self, values: Mapping[str, Any]) -> Options:
        """See `Game`."""
        return choices.parse_options(values)

    def options_json(self, options: Options) -> dict[str, Any]:
        """See `Game`."""
        return choices.options_json(options)

    def options_schema(self) -> dict[str, Any]:
        """See `Game`."""
        return choices.options_schema()

    def new_state(self, seats: int, options: Options | None = None, chance: Chance | None = None) -> ForeignKingState:
        """See `Game`; who sits where is the caller's draw (K4), so `chance` is not asked."""
        del chance
        self.check_seats(seats)
        state = ForeignKingState.__new__(ForeignKingState)
        set_up(state, seats, Options() if options is None else options)
        return state

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ForeignKingState:
        """See `Game`."""
        from engine.games.foreign_king.position_reader import read_position

        del chance
        return read_position(data)

    def evaluate(self, state: State, seat: int) -> float:
        """See `Game`."""
        from engine.games.foreign_king.evaluation import evaluate

        return evaluate(_own(state), seat)

    def evaluate_all(self, state: State, seats: int) -> tuple[float, ...]:
        """See `Game`."""
        from engine.games.foreign_king.evaluation import evaluate_all

        del seats
        return evaluate_all(_own(state))

    def determinize(self, observation: Mapping[str, Any], rng: Random) -> ForeignKingState:
        """See `Game`; nothing is hidden, so this is the position itself."""
        del rng
        return self.state_from_json(observation)

    def opening_plies(self, seats: int) -> int:
        """About one round of turns."""
        return 3 * seats

    def usual_decisions(self, seats: int) -> int:
        """See `Game`: measured with the sample bots."""
        return 40 * seats

    @property
    def variants(self) -> Sequence[Mapping[str, Any]]:
        """What the editions differ in, and short banks."""
        return (
            {},
            {"rulebook": "de"},
            {"congress_on_empty": True, "virtual_discs": 16, "virtual_can_win": False},
            {"bank": 37, "max_rounds": 40},
        )

    def check_invariants(self, state: State) -> None:
        """See `Game`: section 6 of the rules."""
        from engine.games.foreign_king.invariants import check

        check(_own(state))

    @property
    def languages(self) -> Sequence[str]:
        """English, German, Italian, French; Dutch for the provinces."""
        from engine.games.foreign_king.labels import LANGUAGES

        return LANGUAGES

    def labels(self, language: str) -> Mapping[str, str]:
        """See `Game`."""
        from engine.games.foreign_king.labels import labels

        return labels(language)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        """See `Game`: `arena.games.foreign_king.v1.ForeignKingState`."""
        from engine.games.foreign_king.wire import TYPE, encode

        del seat
        return TYPE, encode(_own(state))

    def decode_observation(self, message: bytes) -> dict[str, Any]:
        """See `Game`."""
        from engine.games.foreign_king.wire import decode

        return decode(message)

    def render_text(self, state: State, seat: int | None = None, language: str = "en") -> str:
        """See `Game`."""
        from engine.games.foreign_king.view import render_text

        del seat
        return render_text(_own(state), language)

    def render_svg(self, state: State, seat: int | None = None, language: str = "en") -> str:
        """See `Game`."""
        from engine.games.foreign_king.svg import render_svg

        del seat
        return render_svg(_own(state), language)


def _own(state: State) -> ForeignKingState:
    if not isinstance(state, ForeignKingState):
        raise TypeError(f"not a position of The Foreign King: {type(state).__name__}")
    return state
