"""A turn: the choice of an action, Francs and loans, coins, factories, and how one turn and round follows another.

The phases TURN, QUEEN_SUB, BUILD, POST and ORDER (R3-R5, R9, R11-R13, R15).
"""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.scoring import majority
from engine.games.foreign_king.state import (
    ALL_FACTORIES,
    BUILD,
    CONGRESS,
    END,
    KING_TO,
    LOAN_VALUE,
    MOVE_FROM,
    ORDER,
    PLACE_P,
    POST,
    QUEEN_SUB,
    REPAYMENT,
    TURN,
    ForeignKingState,
    members,
)

BUILD_PRICE: Final = 3
QUEEN_PRICE: Final = 2
COINS: Final = 3

_BUILD: Final = 1 << ids.ACT_BUILD
_PLACE: Final = 1 << ids.ACT_PLACE
_MOVE: Final = 1 << ids.ACT_MOVE
_CONGRESS: Final = 1 << ids.ACT_CONGRESS
_QUEEN: Final = 1 << ids.ACT_QUEEN
_LOAN: Final = 1 << ids.LOAN
# Coins, King and Change order are always performable (A30).
_ALWAYS: Final = 1 << ids.ACT_COINS | 1 << ids.ACT_KING | 1 << ids.ACT_CHANGE
_ALL_SPACES: Final = 0xFF

_ASKS: Final[tuple[int, ...]] = (BUILD, PLACE_P, MOVE_FROM, CONGRESS, TURN, KING_TO)
"""The phase that asks how an action is carried out, by space; coins need none."""
_STUCK: Final[tuple[int, ...]] = (ids.PASS,)
_TURN_LEGAL: Final = tuple(members(bit_set, ids.LOAN + 1) for bit_set in range(512))
"""Bit set of ACT_* and LOAN -> ids."""
_BUILD_LEGAL: Final = tuple(
    tuple(
        action
        for action in range(ids.BUILD, ids.BUILD + 2 * PROVINCE_COUNT)
        if (supply > 7 if (action - ids.BUILD) & 1 else supply & 7 > 0)
    )
    for supply in range(64)
)
"""Packed supply -> ids."""
_POST_LEGAL: Final[tuple[tuple[int, ...], ...]] = (
    (ids.END_TURN,),
    (ids.LOAN, ids.END_TURN),
    (ids.REPAY, ids.END_TURN),
    (ids.LOAN, ids.REPAY, ids.END_TURN),
)
_ORDER_LEGAL: Final = tuple(tuple(range(ids.ORDER_POS, ids.ORDER_POS + seats)) for seats in range(5))


def _performable(state: ForeignKingState, francs: int) -> int:
    """Return the bit set of the spaces but the Queen's whose action the active seat could pay with so many Francs."""
    me = state.active
    able = _ALWAYS
    if state.hand[me]:
        able |= _PLACE | _CONGRESS
    if state.occupied[me]:
        able |= _MOVE | _CONGRESS
    if francs >= BUILD_PRICE and state.supply:
        able |= _BUILD
    return able


def _queen_scope(state: ForeignKingState) -> int:
    """Return the bit set of the spaces that the Queen of the active seat reaches (C4, K16)."""
    if state.options.queen_scope == "any":
        return _ALL_SPACES & ~_QUEEN
    scope = 0
    for seat, space in enumerate(state.pawns):
        if seat != state.active and space >= 0:
            scope |= 1 << space
    return scope & ~_QUEEN


def _available(state: ForeignKingState, francs: int) -> int:
    """Return the bit set of the actions that the active seat may choose with so many Francs (R4)."""
    free = state.free_spaces
    able = _performable(state, francs)
    if free & _QUEEN and francs >= QUEEN_PRICE and _performable(state, francs - QUEEN_PRICE) & _queen_scope(state):
        able |= _QUEEN
    return able & free


def legal_turn(state: ForeignKingState) -> tuple[int, ...]:
    """Return the available actions and LOAN, or PASS alone if no loan would help (K3)."""
    able = _available(state, state.francs[state.active])
    if state.medals[state.active] > state.loans[state.active]:
        able |= _LOAN
    if able & _ALL_SPACES == 0 and not _available(state, francs_with_all_loans(state)):
        return _STUCK
    return _TURN_LEGAL[able]


def is_legal_turn(state: ForeignKingState, action: int) -> bool:
    """Tell whether a TURN entry is legal."""
    if 0 <= action < ids.LOAN:
        return _available(state, state.francs[state.active]) >> action & 1 == 1
    if action == ids.LOAN or action == ids.PASS:
        stuck = not _available(state, francs_with_all_loans(state))
        return stuck if action == ids.PASS else not stuck and state.medals[state.active] > state.loans[state.active]
    return False


def _queen_entries(state: ForeignKingState) -> int:
    return _performable(state, state.francs[state.active]) & _queen_scope(state)


def legal_queen(state: ForeignKingState) -> tuple[int, ...]:
    """Return what the Queen may do now that she is paid."""
    return _TURN_LEGAL[_queen_entries(state)]


def is_legal_queen(state: ForeignKingState, action: int) -> bool:
    """Tell whether a QUEEN_SUB entry is legal."""
    return 0 <= action < ids.LOAN and _queen_entries(state) >> action & 1 == 1


def choose(state: ForeignKingState, space: int) -> None:
    """Put the pawn on the space (R4, K10); after the Queen it stays on hers (A21)."""
    if state.phase == TURN:
        me = state.active
        before = state.pawns[me]
        if before >= 0:
            state.free_spaces |= 1 << before
        state.pawns[me] = space
        state.free_spaces &= ~(1 << space)


def apply_space(state: ForeignKingState, space: int) -> None:
    """Put the pawn on Build, Place, Move, Congress or King, and ask how it is carried out."""
    choose(state, space)
    state.phase = _ASKS[space]


def apply_queen(state: ForeignKingState, action: int) -> None:
    """Pay the Queen and choose again (R11)."""
    choose(state, action)
    state.francs[state.active] -= QUEEN_PRICE
    state.phase = QUEEN_SUB


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


def francs_with_all_loans(state: ForeignKingState) -> int:
    """Return the Francs that the active seat could have by turning down every medal."""
    loans = LOAN_VALUE * (state.medals[state.active] - state.loans[state.active])
    if state.options.bank is not None:
        loans = min(loans, bank_left(state))
    return state.francs[state.active] + loans


def legal_build(state: ForeignKingState) -> tuple[int, ...]:
    """Return every province with every type that is left (C20)."""
    return _BUILD_LEGAL[state.supply]


def is_legal_build(state: ForeignKingState, action: int) -> bool:
    """Tell whether a BUILD entry is legal."""
    if not ids.BUILD <= action < ids.PLACE:
        return False
    return state.supply > 7 if (action - ids.BUILD) & 1 else state.supply & 7 > 0


def apply_build(state: ForeignKingState, action: int) -> None:
    """Pay, put the factory there active, and take a medal if it is the province's first (R5)."""
    me = state.active
    province = (action - ids.BUILD) >> 1
    state.francs[me] -= BUILD_PRICE
    if state.factories[province] == 0:
        state.medals[me] += 1
    one = 8 if (action - ids.BUILD) & 1 else 1
    state.supply -= one
    state.factories[province] += one
    finish_action(state)


def textiles_controlled(state: ForeignKingState, colour: int) -> int:
    """Count the textile factories, active or not, in provinces where the colour has the majority (R9)."""
    total = 0
    mine = state.occupied[colour]
    for province in range(PROVINCE_COUNT):
        packed = state.factories[province]
        if packed and mine >> province & 1:
            textiles = (packed >> 3 & 7) + (packed >> 9)
            if textiles and majority(state, province) == colour:
                total += textiles
    return total


def apply_coins(state: ForeignKingState, action: int) -> None:
    """Pay the active seat its coins (R9)."""
    choose(state, action)
    receive(state, state.active, COINS + textiles_controlled(state, state.active))
    finish_action(state)


def apply_change(state: ForeignKingState, action: int) -> None:
    """Pay 1 Franc and a claim to change the order at the end of the round (R12).

    Through the Queen the pawn stays on hers (A25).
    """
    choose(state, action)
    receive(state, state.active, 1)
    state.claims = (*state.claims, state.active)
    finish_action(state)


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
    return state.post != ids.REPAY and state.medals[state.active] > state.loans[state.active]


def may_repay(state: ForeignKingState) -> bool:
    """Tell whether REPAY is open in POST."""
    return state.post != ids.LOAN and state.loans[state.active] > 0 and state.francs[state.active] >= REPAYMENT


def is_legal_post(state: ForeignKingState, action: int) -> bool:
    """Tell whether a POST entry is legal."""
    if action == ids.LOAN:
        return may_borrow_after(state)
    return may_repay(state) if action == ids.REPAY else action == ids.END_TURN


def apply_loan(state: ForeignKingState, _action: int) -> None:
    """Take a loan before the action (R13)."""
    take_loan(state)


def apply_loan_after(state: ForeignKingState, action: int) -> None:
    """Take a loan after the action (R13)."""
    take_loan(state)
    state.post = action


def apply_repay(state: ForeignKingState, action: int) -> None:
    """Turn a medal of the active seat up again for 4 Francs (R13)."""
    me = state.active
    state.loans[me] -= 1
    state.francs[me] -= REPAYMENT
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


def legal_order(state: ForeignKingState) -> tuple[int, ...]:
    """Return every place of the track, the claimant's own too (A28)."""
    return _ORDER_LEGAL[state.seats]


def is_legal_order(state: ForeignKingState, action: int) -> bool:
    """Tell whether an ORDER entry is legal."""
    return ids.ORDER_POS <= action < ids.ORDER_POS + state.seats


def apply_order(state: ForeignKingState, action: int) -> None:
    """Take the claimant out of the track and put it in again at that place; the others shift (K8)."""
    claimant = state.claims[0]
    track = [seat for seat in state.order if seat != claimant]
    track.insert(action - ids.ORDER_POS, claimant)
    state.order = tuple(track)
    state.claims = state.claims[1:]
    if state.claims:
        state.active = state.decider = state.claims[0]
    else:
        start_round(state)
