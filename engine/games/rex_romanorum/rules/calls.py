"""Calls of the rules, phase by phase, for the compiled engine.

Made by `python -m engine.kit.calling engine.games.rex_romanorum` from rules/phases.py: do not edit.
"""
# ruff: noqa: C901 # as many branches as there are phases

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from engine.games.rex_romanorum import state as at
from engine.games.rex_romanorum.rules import battle, elections, flow, land, moves, turn
from engine.games.rex_romanorum.state import RexState
from engine.kit.phases import PhasedState, PhaseTable


class Calls(PhaseTable):
    """The phase table of the game, which calls directly what it names."""

    def legal_in(self, position: PhasedState) -> Sequence[int]:
        state = cast(RexState, position)
        phase = state.phase
        if phase == at.TURN:
            return turn.legal_turn(state)
        if phase == at.KEEP:
            return land.legal_keep(state)
        if phase == at.GARRISON:
            return land.legal_garrison(state)
        if phase == at.BUILD:
            return land.legal_build(state)
        if phase == at.MOVE_FROM:
            return moves.legal_move_from(state)
        if phase == at.MOVE_TO:
            return moves.legal_move_to(state)
        if phase == at.COUNT:
            return moves.legal_count(state)
        if phase == at.PLACE:
            return moves.legal_place(state)
        if phase == at.RAZE:
            return battle.legal_raze(state)
        if phase == at.FIGHT:
            return battle.legal_fight(state)
        if phase == at.FIGHT_ON:
            return battle.legal_fight_on(state)
        if phase == at.STAND:
            return elections.legal_stand(state)
        if phase == at.BISHOP_VOTE:
            return elections.legal_bishop_vote(state)
        if phase == at.OFFER:
            return elections.legal_offer(state)
        if phase == at.KING_VOTE:
            return elections.legal_king_vote(state)
        return super().legal_in(position)

    def is_legal_in(self, position: PhasedState, action: int) -> bool:
        state = cast(RexState, position)
        phase = state.phase
        if phase == at.TURN:
            return turn.is_legal_turn(state, action)
        if phase == at.KEEP:
            return land.is_legal_keep(state, action)
        if phase == at.GARRISON:
            return land.is_legal_garrison(state, action)
        if phase == at.BUILD:
            return land.is_legal_build(state, action)
        if phase == at.MOVE_FROM:
            return moves.is_legal_move_from(state, action)
        if phase == at.MOVE_TO:
            return moves.is_legal_move_to(state, action)
        if phase == at.COUNT:
            return moves.is_legal_count(state, action)
        if phase == at.PLACE:
            return moves.is_legal_place(state, action)
        if phase == at.RAZE:
            return battle.is_legal_raze(state, action)
        if phase == at.FIGHT:
            return battle.is_legal_fight(state, action)
        if phase == at.FIGHT_ON:
            return battle.is_legal_fight_on(state, action)
        if phase == at.STAND:
            return elections.is_legal_stand(state, action)
        if phase == at.BISHOP_VOTE:
            return elections.is_legal_bishop_vote(state, action)
        if phase == at.OFFER:
            return elections.is_legal_offer(state, action)
        if phase == at.KING_VOTE:
            return elections.is_legal_king_vote(state, action)
        return super().is_legal_in(position, action)

    def apply_in(self, position: PhasedState, action: int) -> None:
        state = cast(RexState, position)
        phase = state.phase
        if phase == at.TURN:
            return turn.apply_turn(state, action)
        if phase == at.KEEP:
            return land.apply_keep(state, action)
        if phase == at.GARRISON:
            if action < 203:
                return moves.apply_place(state, action)
            return flow.apply_done(state, action)
        if phase == at.BUILD:
            if action < 801:
                return land.apply_build(state, action)
            return flow.apply_done(state, action)
        if phase == at.MOVE_FROM:
            if action < 490:
                return moves.apply_move_from(state, action)
            return moves.apply_move_done(state, action)
        if phase == at.MOVE_TO:
            return moves.apply_move_to(state, action)
        if phase == at.COUNT:
            return moves.apply_count(state, action)
        if phase == at.PLACE:
            if action < 203:
                return moves.apply_place(state, action)
            return flow.apply_done(state, action)
        if phase == at.RAZE:
            return battle.apply_raze(state, action)
        if phase == at.FIGHT:
            return battle.apply_fight(state, action)
        if phase == at.FIGHT_ON:
            if action < 865:
                return battle.apply_fight_on(state, action)
            return battle.apply_retreat(state, action)
        if phase == at.STAND:
            return elections.apply_stand(state, action)
        if phase == at.BISHOP_VOTE:
            return elections.apply_bishop_vote(state, action)
        if phase == at.OFFER:
            return elections.apply_offer(state, action)
        if phase == at.KING_VOTE:
            return elections.apply_king_vote(state, action)
        return super().apply_in(position, action)
