"""Calls of the rules, phase by phase, for the compiled engine.

Made by `python -m engine.kit.calling engine.games.foreign_king` from rules/phases.py: do not edit.
"""
# ruff: noqa: C901 # as many branches as there are phases

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from engine.games.foreign_king import state as at
from engine.games.foreign_king.rules import citizens, king, turns
from engine.games.foreign_king.state import ForeignKingState
from engine.kit.phases import PhasedState, PhaseTable


class Calls(PhaseTable):
    """The phase table of the game, which calls directly what it names."""

    def legal_in(self, position: PhasedState) -> Sequence[int]:
        state = cast(ForeignKingState, position)
        phase = state.phase
        if phase == at.TURN:
            return turns.legal_turn(state)
        if phase == at.QUEEN_SUB:
            return turns.legal_queen(state)
        if phase == at.BUILD:
            return turns.legal_build(state)
        if phase == at.PLACE_P:
            return citizens.legal_place(state)
        if phase == at.PLACE_N:
            return citizens.legal_place_n(state)
        if phase == at.MOVE_FROM:
            return citizens.legal_move_from(state)
        if phase == at.MOVE_TO:
            return citizens.legal_move_to(state)
        if phase == at.CONGRESS:
            return citizens.legal_congress(state)
        if phase == at.KING_TO:
            return king.legal_king_to(state)
        if phase == at.KING_LEN:
            return king.legal_king_len(state)
        if phase == at.CONGRESS_ASK:
            return king.legal_ask(state)
        if phase == at.INACTIVATE:
            return king.legal_inactivate(state)
        if phase == at.VIRT:
            return king.legal_virt(state)
        if phase == at.VIRT_TO:
            return king.legal_virt_to(state)
        if phase == at.POST:
            return turns.legal_post(state)
        if phase == at.ORDER:
            return turns.legal_order(state)
        return super().legal_in(position)

    def is_legal_in(self, position: PhasedState, action: int) -> bool:
        state = cast(ForeignKingState, position)
        phase = state.phase
        if phase == at.TURN:
            return turns.is_legal_turn(state, action)
        if phase == at.QUEEN_SUB:
            return turns.is_legal_queen(state, action)
        if phase == at.BUILD:
            return turns.is_legal_build(state, action)
        if phase == at.PLACE_P:
            return citizens.is_legal_place(state, action)
        if phase == at.PLACE_N:
            return citizens.is_legal_place_n(state, action)
        if phase == at.MOVE_FROM:
            return citizens.is_legal_move_from(state, action)
        if phase == at.MOVE_TO:
            return citizens.is_legal_move_to(state, action)
        if phase == at.CONGRESS:
            return citizens.is_legal_congress(state, action)
        if phase == at.KING_TO:
            return king.is_legal_king_to(state, action)
        if phase == at.KING_LEN:
            return king.is_legal_king_len(state, action)
        if phase == at.CONGRESS_ASK:
            return king.is_legal_ask(state, action)
        if phase == at.INACTIVATE:
            return king.is_legal_inactivate(state, action)
        if phase == at.VIRT:
            return king.is_legal_virt(state, action)
        if phase == at.VIRT_TO:
            return king.is_legal_virt_to(state, action)
        if phase == at.POST:
            return turns.is_legal_post(state, action)
        if phase == at.ORDER:
            return turns.is_legal_order(state, action)
        return super().is_legal_in(position, action)

    def apply_in(self, position: PhasedState, action: int) -> None:
        state = cast(ForeignKingState, position)
        phase = state.phase
        if phase == at.TURN:
            if action < 4:
                return turns.apply_space(state, action)
            if action < 5:
                return turns.apply_coins(state, action)
            if action < 6:
                return turns.apply_space(state, action)
            if action < 7:
                return turns.apply_queen(state, action)
            if action < 8:
                return turns.apply_change(state, action)
            if action < 9:
                return turns.apply_loan(state, action)
            return turns.apply_pass(state, action)
        if phase == at.QUEEN_SUB:
            if action < 4:
                return turns.apply_space(state, action)
            if action < 5:
                return turns.apply_coins(state, action)
            if action < 6:
                return turns.apply_space(state, action)
            if action < 7:
                return turns.apply_queen(state, action)
            return turns.apply_change(state, action)
        if phase == at.BUILD:
            return turns.apply_build(state, action)
        if phase == at.PLACE_P:
            return citizens.apply_place(state, action)
        if phase == at.PLACE_N:
            return citizens.apply_place_n(state, action)
        if phase == at.MOVE_FROM:
            return citizens.apply_move_from(state, action)
        if phase == at.MOVE_TO:
            if action < 72:
                return citizens.apply_move_to(state, action)
            if action < 73:
                return citizens.apply_move_off(state, action)
            return citizens.apply_move_stop(state, action)
        if phase == at.CONGRESS:
            if action < 83:
                return citizens.apply_congress_from(state, action)
            return citizens.apply_congress_from_hand(state, action)
        if phase == at.KING_TO:
            return king.apply_king_to(state, action)
        if phase == at.KING_LEN:
            return king.apply_king_len(state, action)
        if phase == at.CONGRESS_ASK:
            if action < 102:
                return king.apply_go(state, action)
            return king.apply_stay(state, action)
        if phase == at.INACTIVATE:
            if action < 104:
                return king.apply_inact_none(state, action)
            return king.apply_inact(state, action)
        if phase == at.VIRT:
            if action < 119:
                return king.apply_virt_place(state, action)
            return king.apply_virt_from(state, action)
        if phase == at.VIRT_TO:
            return king.apply_virt_to(state, action)
        if phase == at.POST:
            if action < 9:
                return turns.apply_loan_after(state, action)
            if action < 10:
                return turns.apply_repay(state, action)
            return turns.apply_end_turn(state, action)
        if phase == at.ORDER:
            return turns.apply_order(state, action)
        return super().apply_in(position, action)
