"""Connect Four for two seats: seven columns of six squares, and whoever first has four discs in a line wins.

Actions are `DROP_1` to `DROP_7`. A position in JSON: game, version, seats, options, and `dropped`, the columns chosen
so far, from 0: everything else follows from them. The details of an outcome are `end` ("line" or "full") and `discs`,
how many were dropped. The only option is `line`: how many discs in a line win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.abilities import Playable, Shown
from engine.chance import Chance
from engine.core import Game, Observation, State
from game_connect_four import rules as _moves  # noqa: F401 - gives positions their moves
from game_connect_four.board import ACTIONS, SQUARES
from game_connect_four.options import OPTIONS, Options
from game_connect_four.state import POSITION, ConnectFourState


class ConnectFour(Game):
    """The game as the registry hands it out. What a referee does not need is loaded when it is asked for."""

    name = "connect_four"
    title = "Connect Four"
    rules_version = "1"
    seats = range(2, 3)
    actions = ACTIONS
    options = OPTIONS
    max_plies = SQUARES

    def new_state(self, seats: int, options: Options | None = None, chance: Chance | None = None) -> ConnectFourState:
        del chance
        self.check_seats(seats)
        return POSITION.start(seats=seats, options=OPTIONS.default if options is None else options)

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> ConnectFourState:
        del chance
        return POSITION.read(data)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        from game_connect_four.wire import TYPE, encode

        del seat
        assert isinstance(state, ConnectFourState)
        return TYPE, encode(state)

    def observed(self, message: bytes) -> Observation:
        from game_connect_four.wire import decode

        state = decode(message)
        return Observation(state, state.decider or 0)

    @property
    def playable(self) -> Playable:
        from game_connect_four.evaluation import PLAYABLE

        return PLAYABLE

    @property
    def shown(self) -> Shown:
        from game_connect_four.view import SHOWN

        return SHOWN


GAME: Final = ConnectFour()
