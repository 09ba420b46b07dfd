"""The rules by phase group, and the tables that find them.

`LEGAL[phase]` lists, `IS_LEGAL[phase]` tests, `APPLY[action]` carries out: plain functions of a `Position`, found by
index, so that a decision costs no search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.rules import build, citizens, flow, income, king, order, turn, virtual
from engine.games.foreign_king.state import Position

_ASK: Final = (ids.CONGRESS_GO, ids.CONGRESS_STAY)


def _ask_legal(_s: Position) -> tuple[int, ...]:
    return _ASK


def _post_is_legal(s: Position, action: int) -> bool:
    if action == ids.LOAN:
        return flow.may_borrow_after(s)
    return flow.may_repay(s) if action == ids.REPAY else action == ids.END_TURN


def _nothing_legal(_s: Position) -> tuple[int, ...]:
    return ()


def _nothing_is_legal(_s: Position, _action: int) -> bool:
    return False


_PHASES: Final[tuple[tuple[Callable[[Position], tuple[int, ...]], Callable[[Position, int], bool]], ...]] = (
    (turn.turn_legal, turn.turn_is_legal),
    (turn.queen_legal, turn.queen_is_legal),
    (build.build_legal, build.build_is_legal),
    (citizens.place_legal, citizens.place_is_legal),
    (citizens.place_n_legal, citizens.place_n_is_legal),
    (citizens.move_from_legal, citizens.move_from_is_legal),
    (citizens.move_to_legal, citizens.move_to_is_legal),
    (citizens.congress_legal, citizens.congress_is_legal),
    (king.king_to_legal, king.king_to_is_legal),
    (king.king_len_legal, king.king_len_is_legal),
    (_ask_legal, king.ask_is_legal),
    (king.inactivate_legal, king.inactivate_is_legal),
    (virtual.virt_legal, virtual.virt_is_legal),
    (virtual.virt_to_legal, virtual.virt_to_is_legal),
    (flow.post_legal, _post_is_legal),
    (order.order_legal, order.order_is_legal),
    (_nothing_legal, _nothing_is_legal),
)
"""In the order of `position.PHASES`."""

LEGAL: Final = tuple(legal for legal, _ in _PHASES)
IS_LEGAL: Final = tuple(is_legal for _, is_legal in _PHASES)

APPLY: Final[tuple[Callable[[Position, int], None], ...]] = (
    build.apply_act_build,
    citizens.apply_act_place,
    citizens.apply_act_move,
    citizens.apply_act_congress,
    income.apply_coins,
    king.apply_act_king,
    turn.apply_queen,
    income.apply_change,
    flow.apply_loan,
    flow.apply_repay,
    flow.apply_end_turn,
    flow.apply_pass,
    *(build.apply_build,) * (ids.PLACE - ids.BUILD),
    *(citizens.apply_place,) * (ids.PLACE_N - ids.PLACE),
    *(citizens.apply_place_n,) * (ids.MOVE_FROM - ids.PLACE_N),
    *(citizens.apply_move_from,) * (ids.MOVE_TO - ids.MOVE_FROM),
    *(citizens.apply_move_to,) * (ids.MOVE_OFF - ids.MOVE_TO),
    citizens.apply_move_off,
    citizens.apply_move_stop,
    *(citizens.apply_congress_from,) * (ids.CONGRESS_FROM_HAND - ids.CONGRESS_FROM),
    citizens.apply_congress_from_hand,
    *(king.apply_king_to,) * (ids.KING_LEN - ids.KING_TO),
    *(king.apply_king_len,) * (ids.CONGRESS_GO - ids.KING_LEN),
    king.apply_go,
    king.apply_stay,
    king.apply_inact_none,
    king.apply_inact,
    king.apply_inact,
    *(order.apply_order,) * (ids.VIRT_PLACE - ids.ORDER_POS),
    *(virtual.apply_virt_place,) * (ids.VIRT_FROM - ids.VIRT_PLACE),
    *(virtual.apply_virt_from,) * (ids.VIRT_TO - ids.VIRT_FROM),
    *(virtual.apply_virt_to,) * (ids.ACTION_COUNT - ids.VIRT_TO),
)
"""Indexed by action id."""
