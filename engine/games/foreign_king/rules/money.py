"""Francs and loans (R13, A16-A20)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.state import Position

LOAN_VALUE: Final = 3
REPAYMENT: Final = 4


def receive(s: Position, seat: int, amount: int) -> None:
    """The bank pays, if it is limited no more than it has (A20)."""
    if s.options.bank is not None:
        amount = min(amount, bank_left(s))
    s.francs[seat] += amount


def bank_left(s: Position) -> int:
    """What a limited bank still has."""
    assert s.options.bank is not None
    return s.options.bank - sum(s.francs)


def take_loan(s: Position) -> None:
    """Turn a medal of the active seat down for 3 Francs, or what the bank has (K15)."""
    me = s.active
    s.medals_up[me] -= 1
    s.loans[me] += 1
    receive(s, me, LOAN_VALUE)


def repay_loan(s: Position) -> None:
    """Turn a medal of the active seat up again for 4 Francs."""
    me = s.active
    s.medals_up[me] += 1
    s.loans[me] -= 1
    s.francs[me] -= REPAYMENT


def francs_with_all_loans(s: Position) -> int:
    """What the active seat could have by turning down every medal."""
    loans = LOAN_VALUE * s.medals_up[s.active]
    if s.options.bank is not None:
        loans = min(loans, bank_left(s))
    return s.francs[s.active] + loans
