"""From one action to the next turn: POST, the end check, round ends (R3, R12, R15, K1, K6, K11)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.actions import END_TURN, LOAN, REPAY
from engine.games.foreign_king.rules.money import REPAYMENT, receive, repay_loan, take_loan
from engine.games.foreign_king.state import END, ORDER, POST, TURN, Position

ALL_FACTORIES: Final = 10

_POST_LEGAL: Final = ((END_TURN,), (LOAN, END_TURN), (REPAY, END_TURN), (LOAN, REPAY, END_TURN))


def finish_action(s: Position) -> None:
    """The action is carried out: on to POST, or straight to the end of the turn if it is skipped (K1)."""
    me = s.active
    if s.medals_up[me] or (s.loans[me] and s.francs[me] >= REPAYMENT):
        s.phase = POST
        s.post = 0
        s.to_act = me
    else:
        end_turn(s)


def post_legal(s: Position) -> tuple[int, ...]:
    """LOAN or REPAY, not both kinds in one POST, and END_TURN (K1)."""
    return _POST_LEGAL[may_borrow_after(s) + 2 * may_repay(s)]


def may_borrow_after(s: Position) -> bool:
    """Whether LOAN is open in POST."""
    return s.post != REPAY and s.medals_up[s.active] > 0


def may_repay(s: Position) -> bool:
    """Whether REPAY is open in POST."""
    return s.post != LOAN and s.loans[s.active] > 0 and s.francs[s.active] >= REPAYMENT


def apply_loan(s: Position, action: int) -> None:
    """LOAN, in TURN and in POST (R13)."""
    take_loan(s)
    if s.phase == POST:
        s.post = action


def apply_repay(s: Position, action: int) -> None:
    """REPAY in POST (R13)."""
    repay_loan(s)
    s.post = action


def apply_end_turn(s: Position, _action: int) -> None:
    """END_TURN."""
    end_turn(s)


def apply_pass(s: Position, _action: int) -> None:
    """PASS: the pawn stays where it is (A30)."""
    finish_action(s)


def end_turn(s: Position) -> None:
    """The end check (R15, K11), then the next seat, the order claims or the next round."""
    if s.marker <= s.second_score or s.inactive_count == ALL_FACTORIES:
        _end_game(s)
        return
    turn = s.turn + 1
    if turn < s.seats:
        s.turn = turn
        s.active = s.to_act = s.order[turn]
        s.phase = TURN
    elif s.round >= s.options.max_rounds:
        _end_game(s)
    elif s.claims:
        s.phase = ORDER
        s.active = s.to_act = s.claims[0]
    else:
        start_round(s)


def start_round(s: Position) -> None:
    """The next round, in the order of the track."""
    s.round += 1
    s.turn = 0
    s.active = s.to_act = s.order[0]
    s.phase = TURN


def _end_game(s: Position) -> None:
    s.phase = END
    s.to_act = None
    s.claims = ()  # K6


def claim_order(s: Position) -> None:
    """Change order: 1 Franc now, a claim for the end of the round (R12)."""
    receive(s, s.active, 1)
    s.claims = (*s.claims, s.active)
    finish_action(s)
