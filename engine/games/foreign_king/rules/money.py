"""Francs and loans (R13, A16-A20)."""

from __future__ import annotations

from engine.games.foreign_king.state import LOAN_VALUE, REPAYMENT, ForeignKingState


def receive(state: ForeignKingState, seat: int, amount: int) -> None:
    """Pay a seat from the bank; a limited bank pays no more than it has (A20)."""
    if state.options.bank is not None:
        amount = min(amount, bank_left(state))
    state.francs[seat] += amount


def bank_left(state: ForeignKingState) -> int:
    """Return what a limited bank still has."""
    assert state.options.bank is not None
    return state.options.bank - sum(state.francs)


def take_loan(state: ForeignKingState) -> None:
    """Turn a medal of the active seat down for 3 Francs, or what the bank has (K15)."""
    me = state.active
    state.loans[me] += 1
    receive(state, me, LOAN_VALUE)


def repay_loan(state: ForeignKingState) -> None:
    """Turn a medal of the active seat up again for 4 Francs."""
    me = state.active
    state.loans[me] -= 1
    state.francs[me] -= REPAYMENT


def francs_with_all_loans(state: ForeignKingState) -> int:
    """Return the Francs that the active seat could have by turning down every medal."""
    loans = LOAN_VALUE * (state.medals[state.active] - state.loans[state.active])
    if state.options.bank is not None:
        loans = min(loans, bank_left(state))
    return state.francs[state.active] + loans
