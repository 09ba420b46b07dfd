"""From one action to the next turn: POST, the end check, round ends (R3, R12, R15, K1, K6, K11)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.actions import END_TURN, LOAN, REPAY
from engine.games.foreign_king.rules.money import receive, repay_loan, take_loan
from engine.games.foreign_king.state import ALL_FACTORIES, END, ORDER, POST, REPAYMENT, TURN, ForeignKingState

_POST_LEGAL: Final[tuple[tuple[int, ...], ...]] = (
    (END_TURN,),
    (LOAN, END_TURN),
    (REPAY, END_TURN),
    (LOAN, REPAY, END_TURN),
)


def finish_action(state: ForeignKingState) -> None:
    """Go on to POST after an action, or straight to the end of the turn if nothing could be done there (K1)."""
    me = state.active
    if state.medals[me] > state.loans[me] or (state.loans[me] and state.francs[me] >= REPAYMENT):
        state.phase = POST
        state.post = 0
        state.decider = me
    else:
        end_turn(state)


def legal_post(state: ForeignKingState) -> tuple[int, ...]:
    """Return END_TURN with LOAN or REPAY, of which one POST allows only one kind (K1)."""
    return _POST_LEGAL[may_borrow_after(state) + 2 * may_repay(state)]


def may_borrow_after(state: ForeignKingState) -> bool:
    """Tell whether LOAN is open in POST."""
    return state.post != REPAY and state.medals[state.active] > state.loans[state.active]


def may_repay(state: ForeignKingState) -> bool:
    """Tell whether REPAY is open in POST."""
    return state.post != LOAN and state.loans[state.active] > 0 and state.francs[state.active] >= REPAYMENT


def is_legal_post(state: ForeignKingState, action: int) -> bool:
    """Tell whether a POST entry is legal."""
    if action == LOAN:
        return may_borrow_after(state)
    return may_repay(state) if action == REPAY else action == END_TURN


def apply_loan(state: ForeignKingState, _action: int) -> None:
    """Take a loan before the action (R13)."""
    take_loan(state)


def apply_loan_after(state: ForeignKingState, action: int) -> None:
    """Take a loan after the action (R13)."""
    take_loan(state)
    state.post = action


def apply_repay(state: ForeignKingState, action: int) -> None:
    """Repay a loan (R13)."""
    repay_loan(state)
    state.post = action


def apply_end_turn(state: ForeignKingState, _action: int) -> None:
    """End the turn by END_TURN."""
    end_turn(state)


def apply_pass(state: ForeignKingState, _action: int) -> None:
    """Let the pawn stay where it is (A30)."""
    finish_action(state)


def end_turn(state: ForeignKingState) -> None:
    """Check for the end (R15, K11), else go on to the next seat, the claims of order or the next round."""
    if state.marker <= state.second_score or state.inactive_count == ALL_FACTORIES:
        _end_game(state)
        return
    turn = state.turn + 1
    if turn < state.seats:
        state.turn = turn
        state.active = state.decider = state.order[turn]
        state.phase = TURN
    elif state.round >= state.options.max_rounds:
        _end_game(state)
    elif state.claims:
        state.phase = ORDER
        state.active = state.decider = state.claims[0]
    else:
        start_round(state)


def start_round(state: ForeignKingState) -> None:
    """Begin the next round, in the order of the track."""
    state.round += 1
    state.turn = 0
    state.active = state.decider = state.order[0]
    state.phase = TURN


def _end_game(state: ForeignKingState) -> None:
    state.phase = END
    state.decider = None
    state.claims = ()  # K6


def claim_order(state: ForeignKingState) -> None:
    """Give the active seat 1 Franc and a claim to change the order at the end of the round (R12)."""
    receive(state, state.active, 1)
    state.claims = (*state.claims, state.active)
    finish_action(state)
