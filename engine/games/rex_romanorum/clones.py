"""Copies of positions. Made by `python -m engine.kit.cloning engine.games.rex_romanorum` from state.py: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.chance import Chance
    from engine.games.rex_romanorum.state import Election, RexState


def clone_election(self: Election) -> Election:
    """Return an independent copy."""
    copy = type(self)()
    copy.diocese = self.diocese
    copy.asked = self.asked
    copy.at = self.at
    copy.candidates = self.candidates[:]
    copy.ballot = self.ballot
    copy.is_runoff = self.is_runoff
    copy.votes = self.votes[:]
    copy.cast = self.cast
    copy.lowest = self.lowest
    copy.elector = self.elector
    copy.offers = self.offers[:]
    return copy


def clone_rex_state(self: RexState, chance: Chance | None = None) -> RexState:
    """Return an independent copy."""
    copy = type(self)()
    copy.seats = self.seats
    copy.options = self.options
    copy.phase = self.phase
    copy.decider = self.decider
    copy.active = self.active
    copy.round = self.round
    copy.is_final = self.is_final
    copy.king = self.king
    copy.gold = self.gold[:]
    copy.titles = self.titles[:]
    copy.owner = self.owner[:]
    copy.land = self.land[:]
    copy.owned = self.owned
    copy.churches = self.churches[:]
    copy.castles = self.castles
    copy.army = self.army[:]
    copy.standing = self.standing[:]
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
    copy.pile = self.pile[:]
    copy.chance = chance
    copy.revelations = self.revelations
    copy.legal = self.legal
    return copy
