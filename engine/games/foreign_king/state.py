"""The position as the engine's contract wants it: dispatch to the rules, copy, caretaker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.chance import Chance
from engine.core import Outcome
from engine.games.foreign_king import actions as ids
from engine.games.foreign_king import scoring
from engine.games.foreign_king.position import END, TURN, Position
from engine.games.foreign_king.position_json import write_position
from engine.games.foreign_king.rules import APPLY, IS_LEGAL, LEGAL

_CARETAKER = (ids.CONGRESS_STAY, ids.INACT_NONE, ids.MOVE_STOP, ids.END_TURN)


class ForeignKingState(Position):
    """A position of The Foreign King. Nothing in it is hidden (A19)."""

    __slots__ = ()

    def seat(self) -> int | None:
        """See `State`."""
        return self.to_act

    def legal_actions(self) -> Sequence[int]:
        """See `State`; computed once per decision."""
        legal = self._legal
        if legal is None:
            legal = self._legal = LEGAL[self.phase](self)
        return legal

    def is_legal(self, action: int) -> bool:
        """See `State`."""
        return IS_LEGAL[self.phase](self, action)

    def apply_unchecked(self, action: int) -> None:
        """See `State`."""
        self._legal = None
        APPLY[action](self, action)

    def clone(self, chance: Chance | None = None) -> ForeignKingState:
        """See `State`; the game draws nothing after the deal of seats, so `chance` is not kept."""
        del chance
        new = ForeignKingState.__new__(ForeignKingState)
        new._legal = self._legal
        new.active = self.active
        new.asked = self.asked
        new.claims = self.claims
        new.congress = self.congress[:]
        new.discs = self.discs[:]
        new.factories = self.factories[:]
        new.francs = self.francs[:]
        new.free_spaces = self.free_spaces
        new.hand = self.hand[:]
        new.inactive_count = self.inactive_count
        new.king = self.king
        new.last = self.last
        new.loans = self.loans[:]
        new.marker = self.marker
        new.medals_up = self.medals_up[:]
        new.occupied = self.occupied[:]
        new.options = self.options
        new.order = self.order
        new.pawns = self.pawns[:]
        new.phase = self.phase
        new.post = self.post
        new.province = self.province
        new.round = self.round
        new.scores = self.scores[:]
        new.seats = self.seats
        new.second_score = self.second_score
        new.steps = self.steps
        new.supply_m = self.supply_m
        new.supply_t = self.supply_t
        new.to_act = self.to_act
        new.turn = self.turn
        new.units = self.units
        return new

    def outcome(self) -> Outcome | None:
        """See `State`."""
        return scoring.outcome(self) if self.phase == END else None

    def caretaker_action(self) -> int:
        """Stay out, stop, end; in TURN take coins; else the first legal entry."""
        legal = self.legal_actions()
        if self.phase == TURN and ids.ACT_COINS in legal:
            return ids.ACT_COINS
        return next((action for action in _CARETAKER if action in legal), legal[0])

    def to_json(self) -> dict[str, Any]:
        """See `State`; the keys are documented in the manual."""
        return write_position(self)

    def observation_json(self, seat: int) -> dict[str, Any]:
        """See `State`: the whole position."""
        del seat
        return write_position(self)
