"""The phases: what may be done in each, who does it, and what a phase needs on the table.

A position made by hand must be one that somebody could have come to. The checks raise PositionError if it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.core import PositionError
from engine.games.foreign_king import actions as ids
from engine.games.foreign_king import scoring
from engine.games.foreign_king import state as at
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT
from engine.games.foreign_king.rules import citizens, king, turns
from engine.games.foreign_king.rules.calls import Calls
from engine.games.foreign_king.rules.turns import BUILD_PRICE
from engine.games.foreign_king.scoring import NOBODY, majority
from engine.games.foreign_king.state import ACTIVE, PHASES, TABLE, ForeignKingState
from engine.kit.field_codecs import need
from engine.kit.phases import OVER, Phase

Check = Callable[[ForeignKingState], None]


def _on(space: int, check: Check | None = None) -> Check:
    """Return a check that the active pawn stands on the space or on the Queen's, and then `check`."""

    def check_pawn(state: ForeignKingState) -> None:
        stands = state.pawns[state.active]
        if stands not in (space, ids.ACT_QUEEN):
            name = PHASES[state.phase]
            raise PositionError(f"pawns: in {name} the active pawn stands on {ids.ACTIONS.names[space]}")
        if check is not None:
            check(state)

    return check_pawn


def _asked(state: ForeignKingState) -> int:
    return state.asked[0] if state.asked else -1


def _claimant(state: ForeignKingState) -> int:
    return state.claims[0] if state.claims else -1


def _opponent(state: ForeignKingState) -> int:
    """Return the decider itself: either seat may have scored."""
    return -1 if state.decider is None else state.decider


def _check_build(state: ForeignKingState) -> None:
    need(state.francs[state.active] >= BUILD_PRICE, f"phase BUILD: a factory costs {BUILD_PRICE} Francs")


def _check_move(state: ForeignKingState) -> None:
    need(state.occupied[state.active] >> state.province & 1, "phase MOVE_TO: the source has no own disc")
    need(state.steps <= state.francs[state.active], "phase MOVE_TO: there are no Francs for one more step")
    need(state.steps or state.last == at.NO_STEP, "pending.last: expected null before the first step")
    need(not state.steps or state.last != at.NO_STEP, "pending.last: expected a province or hand after a step")
    need(state.last != state.province, "phase MOVE_TO: a disc cannot go back to its source")


def _check_walk(state: ForeignKingState) -> None:
    need(state.king != PORTRAIT, f"phase {PHASES[state.phase]}: the King still stands on his portrait")


def _check_ask(state: ForeignKingState) -> None:
    _check_walk(state)
    ranked = king.ranked_congress(state)
    expected = ranked[len(ranked) - len(state.asked) :]
    need(state.asked == expected, f"phase CONGRESS_ASK: the Congress is asked in the order {list(ranked)}")
    empty = not any(state.discs[state.king :: PROVINCE_COUNT])
    need(not empty or state.options.congress_on_empty, "phase CONGRESS_ASK: the King's province is empty")


def _check_inactivate(state: ForeignKingState) -> None:
    _check_walk(state)
    fits = any(state.discs[state.king :: PROVINCE_COUNT]) and state.factories[state.king] & ACTIVE
    need(
        fits and majority(state, state.king) == NOBODY,
        "phase INACTIVATE: only in a province with discs, without a majority, with an active factory",
    )


def _check_virtual(state: ForeignKingState) -> None:
    need(state.seats == 2, f"phase {PHASES[state.phase]}: only with 2 seats")


def _check_virtual_move(state: ForeignKingState) -> None:
    _check_virtual(state)
    need(state.occupied[at.VIRTUAL] >> state.province & 1, "phase VIRT_TO: no virtual disc stands there")


def _check_order(state: ForeignKingState) -> None:
    need(state.active == state.claims[0], "phase ORDER: the active seat is not the claimant")


def _check_end(state: ForeignKingState) -> None:
    is_last = state.turn == state.seats - 1 and state.round == state.options.max_rounds
    need(is_last or scoring.end_conditions(state) != ["max_rounds"], "phase END: no end condition holds")


_SPACES: Final = {
    range(ids.ACT_BUILD, ids.ACT_COINS): turns.apply_space,
    ids.ACT_COINS: turns.apply_coins,
    ids.ACT_KING: turns.apply_space,
    ids.ACT_QUEEN: turns.apply_queen,
    ids.ACT_CHANGE: turns.apply_change,
}
_MOVES: Final = {
    range(ids.MOVE_TO, ids.MOVE_OFF): citizens.apply_move_to,
    ids.MOVE_OFF: citizens.apply_move_off,
    ids.MOVE_STOP: citizens.apply_move_stop,
}
_TO_CONGRESS: Final = {
    range(ids.CONGRESS_FROM, ids.CONGRESS_FROM_HAND): citizens.apply_congress_from,
    ids.CONGRESS_FROM_HAND: citizens.apply_congress_from_hand,
}
_ANSWERS: Final = {ids.CONGRESS_GO: king.apply_go, ids.CONGRESS_STAY: king.apply_stay}
_SWITCHES: Final = {ids.INACT_NONE: king.apply_inact_none, range(ids.INACT_METAL, ids.ORDER_POS): king.apply_inact}
_UNITS: Final = {
    range(ids.VIRT_PLACE, ids.VIRT_FROM): king.apply_virt_place,
    range(ids.VIRT_FROM, ids.VIRT_TO): king.apply_virt_from,
}
_AFTER: Final = {ids.LOAN: turns.apply_loan_after, ids.REPAY: turns.apply_repay, ids.END_TURN: turns.apply_end_turn}

TABLE.table = Calls(
    ForeignKingState,
    PHASES,
    {
        at.TURN: Phase(
            turns.legal_turn,
            turns.is_legal_turn,
            {**_SPACES, ids.LOAN: turns.apply_loan, ids.PASS: turns.apply_pass},
            caretaker=ids.ACT_COINS,
        ),
        at.QUEEN_SUB: Phase(turns.legal_queen, turns.is_legal_queen, _SPACES, check=_on(ids.ACT_QUEEN)),
        at.BUILD: Phase(
            turns.legal_build, turns.is_legal_build, turns.apply_build, check=_on(ids.ACT_BUILD, _check_build)
        ),
        at.PLACE_P: Phase(
            citizens.legal_place, citizens.is_legal_place, citizens.apply_place, check=_on(ids.ACT_PLACE)
        ),
        at.PLACE_N: Phase(
            citizens.legal_place_n, citizens.is_legal_place_n, citizens.apply_place_n, check=_on(ids.ACT_PLACE)
        ),
        at.MOVE_FROM: Phase(
            citizens.legal_move_from, citizens.is_legal_move_from, citizens.apply_move_from, check=_on(ids.ACT_MOVE)
        ),
        at.MOVE_TO: Phase(
            citizens.legal_move_to,
            citizens.is_legal_move_to,
            _MOVES,
            caretaker=ids.MOVE_STOP,
            check=_on(ids.ACT_MOVE, _check_move),
        ),
        at.CONGRESS: Phase(
            citizens.legal_congress, citizens.is_legal_congress, _TO_CONGRESS, check=_on(ids.ACT_CONGRESS)
        ),
        at.KING_TO: Phase(king.legal_king_to, king.is_legal_king_to, king.apply_king_to, check=_on(ids.ACT_KING)),
        at.KING_LEN: Phase(
            king.legal_king_len, king.is_legal_king_len, king.apply_king_len, check=_on(ids.ACT_KING, _check_walk)
        ),
        at.CONGRESS_ASK: Phase(
            king.legal_ask,
            king.is_legal_ask,
            _ANSWERS,
            decides=_asked,
            caretaker=ids.CONGRESS_STAY,
            check=_on(ids.ACT_KING, _check_ask),
        ),
        at.INACTIVATE: Phase(
            king.legal_inactivate,
            king.is_legal_inactivate,
            _SWITCHES,
            caretaker=ids.INACT_NONE,
            check=_on(ids.ACT_KING, _check_inactivate),
        ),
        at.VIRT: Phase(
            king.legal_virt,
            king.is_legal_virt,
            _UNITS,
            decides=_opponent,
            check=_on(ids.ACT_KING, _check_virtual),
        ),
        at.VIRT_TO: Phase(
            king.legal_virt_to,
            king.is_legal_virt_to,
            king.apply_virt_to,
            decides=_opponent,
            check=_on(ids.ACT_KING, _check_virtual_move),
        ),
        at.POST: Phase(turns.legal_post, turns.is_legal_post, _AFTER, caretaker=ids.END_TURN),
        at.ORDER: Phase(
            turns.legal_order, turns.is_legal_order, turns.apply_order, decides=_claimant, check=_check_order
        ),
        at.END: Phase(decides=OVER.decides, check=_check_end),
    },
    actions=ids.ACTION_COUNT,
    outcome=scoring.outcome,
)
