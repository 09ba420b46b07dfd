"""The game as the registry hands it out; everything is delegated, the heavy parts on demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.abilities import Playable, Shown, Tools
from engine.chance import Chance
from engine.core import Game, Observation, State
from engine.games.rex_romanorum.actions import ACTIONS
from engine.games.rex_romanorum.bounds import MAX_PLIES
from engine.games.rex_romanorum.options import OPTIONS, Options
from engine.games.rex_romanorum.rules.turn import start
from engine.games.rex_romanorum.state import RexState, new_state


class RexRomanorum(Game):
    """Rex Romanorum."""

    name = "rex_romanorum"
    title = "Rex Romanorum"
    rules_version = "1"
    seats = range(2, 6)
    actions = ACTIONS
    options = OPTIONS
    max_plies = MAX_PLIES
    has_chance = True
    has_hidden_information = True

    def new_state(self, seats: int, options: Options | None = None, chance: Chance | None = None) -> RexState:
        """Return the start of a game; who sits where is the caller's draw (K1), the pile is shuffled here."""
        self.check_seats(seats)
        state = new_state(OPTIONS.default if options is None else options, seats, chance)
        start(state)
        return state

    def state_from_json(self, data: Mapping[str, Any], chance: Chance | None = None) -> RexState:
        from engine.games.rex_romanorum.position_reader import read_position

        return read_position(data, chance)

    def encode_observation(self, state: State, seat: int) -> tuple[str, bytes]:
        from engine.games.rex_romanorum.wire import TYPE, encode

        del seat
        assert isinstance(state, RexState)
        return TYPE, encode(state)

    def observed(self, message: bytes) -> Observation:
        from engine.games.rex_romanorum.position_reader import read_observation
        from engine.games.rex_romanorum.wire import decode

        return Observation(read_observation(decode(message)), 0)

    @property
    def playable(self) -> Playable:
        from engine.games.rex_romanorum.evaluation import PLAYABLE

        return PLAYABLE

    @property
    def shown(self) -> Shown:
        from engine.games.rex_romanorum.view import SHOWN

        return SHOWN

    @property
    def tools(self) -> Tools:
        """`odds`: how likely an attack wins."""
        from engine.games.rex_romanorum.odds_tool import main

        return {"odds": main}
