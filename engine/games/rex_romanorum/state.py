"""A state of Rex Romanorum as the engine's contract wants it: dispatch to the rules, copy, caretaker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.chance import Chance
from engine.core import Outcome, Reveal
from engine.games.rex_romanorum.options import Options
from engine.games.rex_romanorum.position import END, Position, set_up
from engine.games.rex_romanorum.position_json import write_observation, write_position
from engine.games.rex_romanorum.rules import APPLY, IS_LEGAL, LEGAL
from engine.games.rex_romanorum.rules.caretaker import caretaker_action
from engine.games.rex_romanorum.rules.scoring import outcome


class RexState(Position):
    """See `State`."""

    __slots__ = ()

    def seat(self) -> int | None:
        """See `State`."""
        return None if self.phase == END else self.decider

    def legal_actions(self) -> Sequence[int]:
        """See `State`; computed once a decision."""
        if self.legal is None:
            self.legal = LEGAL[self.phase](self)
        return self.legal

    def is_legal(self, action: int) -> bool:
        """See `State`."""
        return IS_LEGAL[self.phase](self, action)

    def apply_unchecked(self, action: int) -> None:
        """See `State`."""
        self.legal = None
        if self.revelations:
            self.revelations = []
        APPLY[self.phase](self, action)

    def clone(self, chance: Chance | None = None) -> RexState:
        """See `State`. The copy has the same pile; a bot that must not know its order uses `Game.determinize`."""
        copy = RexState.__new__(RexState)
        copy.options = self.options
        copy.seats = self.seats
        copy.chance = chance
        copy.phase = self.phase
        copy.decider = self.decider
        copy.active = self.active
        copy.round = self.round
        copy.is_final = self.is_final
        copy.king = self.king
        copy.gold = self.gold[:]
        copy.owner = self.owner[:]
        copy.land = self.land[:]
        copy.owned = self.owned
        copy.castles = self.castles
        copy.churches = self.churches[:]
        copy.army = self.army[:]
        copy.standing = self.standing[:]
        copy.titles = self.titles[:]
        copy.pile = self.pile[:]
        copy.discards = self.discards[:]
        copy.drawn = self.drawn
        copy.task = self.task
        copy.fresh = self.fresh
        copy.built = self.built
        copy.source = self.source
        copy.target = self.target
        copy.last = self.last
        copy.last_to = self.last_to
        copy.arrived = self.arrived.copy()
        copy.undefended = self.undefended
        copy.contested = self.contested
        copy.election = None if self.election is None else self.election.clone()
        copy.revelations = self.revelations
        copy.legal = self.legal
        return copy

    def outcome(self) -> Outcome | None:
        """See `State`; `details`: `king` (seat or null), `richest` (seats), `wealth` (per seat), `rounds`."""
        return outcome(self) if self.phase == END else None

    def caretaker_action(self) -> int:
        """See `State`: the rule of section 9.4."""
        return caretaker_action(self.phase, self.legal_actions())

    def to_json(self) -> dict[str, Any]:
        """See `State`; the keys are in the game's manual."""
        return write_position(self)

    def observation_json(self, seat: int) -> dict[str, Any]:
        """See `State`: everything but the order of the pile (S8), so the same for every seat."""
        del seat
        return write_observation(self)

    def revealed(self) -> Sequence[Reveal]:
        """See `State`: "card" with the regions drawn, "d6" once for each step of a round and each throw for a tie."""
        return [Reveal(kind, tuple(values)) for kind, values in self.revelations]


def new_state(options: Options, seats: int, chance: Chance | None) -> RexState:
    """A state before the first turn, its pile still empty."""
    state = RexState.__new__(RexState)
    set_up(state, options, seats, chance)
    return state
