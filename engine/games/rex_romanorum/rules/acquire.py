"""ACQUIRE: draw three cards, keep some, garrison the new regions (section 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import FOOT, HIGHEST_COUNT, KEEP, KNIGHT, PLACE, PLACE_DONE
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, regions_of
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.rules.land import take
from engine.games.rex_romanorum.state import GARRISON, RexState
from engine.games.rex_romanorum.state import KEEP as KEEP_PHASE
from engine.kit.reading import need

CARDS_DRAWN: Final = 3
GARRISON_LIMIT: Final = 3
"""Figures in a region just bought; the limit holds only here (A7)."""

# [cards drawn][regions affordable]: the KEEP ids of every subset that can be paid (A4).
_KEEPS: Final = tuple(
    tuple(
        tuple(KEEP + subset for subset in range(1 << cards) if subset.bit_count() <= affordable)
        for affordable in range(CARDS_DRAWN + 1)
    )
    for cards in range(CARDS_DRAWN + 1)
)


def draw(state: RexState) -> None:
    """Draw three cards, renewing an empty pile when the next card is needed; fewer only when no more are left (A1)."""
    drawn = take_cards(state, CARDS_DRAWN)
    if len(drawn) < CARDS_DRAWN and state.discards:
        renew_pile(state)
        drawn += take_cards(state, CARDS_DRAWN - len(drawn))
    state.drawn = drawn
    state.revelations = [("card", drawn)]
    state.phase = KEEP_PHASE


def take_cards(state: RexState, most: int) -> list[int]:
    """Take as many cards from the pile, or all that it has."""
    taken = state.pile[:most]
    del state.pile[:most]
    return taken


def renew_pile(state: RexState) -> None:
    """Shuffle the discards into a new pile; cards just drawn stay out (A1, A2, K10)."""
    state.pile = state.discards
    state.discards = []
    state.source_of_chance().shuffle(state.pile)


def affordable_regions(state: RexState) -> int:
    """Count how many of the drawn cards can be paid."""
    price = state.options.region_price
    return min(CARDS_DRAWN, state.gold[state.active] // price) if price else CARDS_DRAWN


def legal_keep(state: RexState) -> Sequence[int]:
    """Return KEEP for each subset that can be paid."""
    return _KEEPS[len(state.drawn)][affordable_regions(state)]


def is_legal_keep(state: RexState, action: int) -> bool:
    """Tell whether the action keeps a subset that can be paid."""
    subset = action - KEEP
    return 0 <= subset < 1 << len(state.drawn) and subset.bit_count() <= affordable_regions(state)


def apply_keep(state: RexState, action: int) -> None:
    """Pay and take the chosen regions; the others are discarded in the order drawn (A6)."""
    subset = action - KEEP
    seat = state.active
    state.gold[seat] -= state.options.region_price * subset.bit_count()
    for index, region in enumerate(state.drawn):
        if subset >> index & 1:
            state.fresh |= BIT[region]
            take(state, region, seat)
        else:
            state.discards.append(region)
    state.drawn = ()
    enter_garrison(state)


def enter_garrison(state: RexState) -> None:
    """Ask for the next placement in the new regions, or end the turn when there can be none (K3)."""
    placements = legal_garrison(state)
    if len(placements) == 1:
        flow.end_turn(state)
    else:
        state.phase = GARRISON
        state.legal = placements


def legal_garrison(state: RexState) -> Sequence[int]:
    """Return PLACE of foot and archers in the regions just bought, and PLACE_DONE."""
    found: list[int] = []
    gold = state.gold[state.active]
    for kind in range(FOOT, KNIGHT):
        if gold >= state.options.cost[kind]:
            for region in regions_of(state.fresh):
                figures = kind * REGION_COUNT + region
                if figures > state.last and free_places(state, region) > 0:
                    found.append(PLACE + figures)
    found.append(PLACE_DONE)
    return found


def free_places(state: RexState, region: int) -> int:
    """Count how many figures may still be placed in a region just bought (A7)."""
    army = state.army
    return GARRISON_LIMIT - army[region] - army[REGION_COUNT + region] - army[2 * REGION_COUNT + region]


def is_legal_garrison(state: RexState, action: int) -> bool:
    """Tell whether the action places figures, or stops."""
    figures = action - PLACE
    if not state.last < figures < 2 * REGION_COUNT:
        return action == PLACE_DONE
    kind, region = figures // REGION_COUNT, figures % REGION_COUNT
    return (
        state.fresh & BIT[region] != 0
        and state.gold[state.active] >= state.options.cost[kind]
        and free_places(state, region) > 0
    )


def most_garrisoned(state: RexState) -> int:
    """Return the most figures of the chosen kind that can be paid and still stand in the region."""
    kind, region = state.target // REGION_COUNT, state.target % REGION_COUNT
    affordable = state.gold[state.active] // state.options.cost[kind]
    return min(HIGHEST_COUNT, affordable, free_places(state, region))


def check_garrison(state: RexState) -> None:
    """Raise PositionError unless the regions just bought are the buyer's own."""
    need(not state.fresh & ~state.land[state.active], "pending.bought: a region bought is one's own")
