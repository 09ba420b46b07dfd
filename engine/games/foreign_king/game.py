"""The game as the registry hands it out; everything is delegated, the heavy parts on demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.abilities import Playable, Shown
from engine.chance import Chance
from engine.core import Game, Observation, State
from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.options import HIGHEST_CAP, OPTIONS, Options
from engine.games.foreign_king.state import ForeignKingState, set_up

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
    options = OPTIONS
    max_plies = HIGHEST_CAP * _ROUND_PLIES + _UNIT_PLIES

    def new_state(self, seats: int, options: Options | None = None, chance: Chance | None = None) -> ForeignKingState:
        """Return the start of a game; who sits where is the caller's draw (K4), so `chance` is not asked."""
        del chance
        self.check_seats(seats)
        state = ForeignKingState.__new__(ForeignKingState)
        set_up(state, seats, Options() if options is None else options)
        return state

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ForeignKingState:
        from engine.games.foreign_king.position_reader import read_position

        del chance
        return read_position(data)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        from engine.games.foreign_king.wire import TYPE, encode

        del seat
        assert isinstance(state, ForeignKingState)
        return TYPE, encode(state)

    def observed(self, message: bytes) -> Observation:
        from engine.games.foreign_king.wire import decode

        return Observation(self.state_from_json(decode(message)), 0)

    @property
    def playable(self) -> Playable:
        from engine.games.foreign_king.evaluation import PLAYABLE

        return PLAYABLE

    @property
    def shown(self) -> Shown:
        from engine.games.foreign_king.view import SHOWN

        return SHOWN

    def opening_plies(self, seats: int) -> int:
        """Return about one round of turns."""
        return 3 * seats
