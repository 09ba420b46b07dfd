"""Land: who holds which region, title and figure; new regions (KEEP, GARRISON); buildings (BUILD); 7.2, 5.1, K14."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import (
    ACTIONS,
    BUILD_DONE,
    CASTLE,
    CHURCH,
    FOOT,
    HIGHEST_COUNT,
    KEEP,
    KNIGHT,
    PLACE,
    PLACE_DONE,
)
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, REGION_COUNT, regions_of
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.state import GARRISON, NOBODY, RexState, all_churches
from engine.games.rex_romanorum.state import KEEP as KEEP_PHASE
from engine.kit.field_codecs import need

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


def take(state: RexState, region: int, seat: int) -> None:
    """Give a region with its church and its titles to `seat` (A6, A8, C13)."""
    bit = BIT[region]
    loser = state.owner[region]
    if loser != NOBODY:
        state.land[loser] &= ~bit
    state.owner[region] = seat
    state.land[seat] |= bit
    state.owned |= bit
    settle_titles(state, seat)


def settle_titles(state: RexState, seat: int) -> None:
    """Give `seat`, who has just taken land, the titles whose condition it meets; others stay where they are (C16)."""
    missing = ~state.land[seat]
    title = 3
    for needed, groups in state.options.titles:
        if not needed & missing:
            for group in groups:
                if not group & ~missing:
                    break
            else:
                state.titles[title] = seat
        title += 1


def add_figures(state: RexState, figures: int, number: int) -> None:
    """Stand `number` figures of one kind in a region; `figures` is kind * 62 + region."""
    state.army[figures] += number
    kind, region = figures // REGION_COUNT, figures % REGION_COUNT
    state.standing[kind] |= BIT[region]


def remove_figures(state: RexState, figures: int, number: int) -> None:
    """Take away `number` of the figures that stand in a region; `figures` is kind * 62 + region."""
    state.army[figures] -= number
    if not state.army[figures]:
        kind, region = figures // REGION_COUNT, figures % REGION_COUNT
        state.standing[kind] &= ~BIT[region]


def draw_cards(state: RexState) -> None:
    """Draw three cards, renewing an empty pile when the next card is needed; fewer only when no more are left (A1)."""
    drawn = take_cards(state, CARDS_DRAWN)
    if len(drawn) < CARDS_DRAWN and state.discards:
        # Cards just drawn stay out of the new pile (A1, A2, K10).
        state.pile, state.discards = state.discards, []
        state.source_of_chance().shuffle(state.pile)
        drawn += take_cards(state, CARDS_DRAWN - len(drawn))
    state.drawn = drawn
    state.revelations = [("card", drawn)]
    state.phase = KEEP_PHASE


def take_cards(state: RexState, most: int) -> list[int]:
    """Take as many cards from the pile, or all that it has."""
    taken = state.pile[:most]
    del state.pile[:most]
    return taken


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


def can_build(state: RexState) -> bool:
    """Tell whether at least one building is payable and legal."""
    if castle_sites(state):
        return True
    return any(church_sites(state, diocese) for diocese in range(DIOCESE_COUNT))


def castle_sites(state: RexState) -> int:
    """Return the own regions where the next building may be a castle: at most one in a region."""
    most, _, most_castles = state.options.build
    if state.gold[state.active] < state.options.castle_price or len(state.built) >= most:
        return 0
    if built_within(state, CASTLE, BUILD_DONE) >= most_castles:
        return 0
    return state.land[state.active] & ~state.castles


def church_sites(state: RexState, diocese: int) -> int:
    """Return the own regions where the next building may be a church of the diocese: at most one in a region."""
    most, most_churches, _ = state.options.build
    if state.gold[state.active] < state.options.church_price or len(state.built) >= most:
        return 0
    if built_within(state, CHURCH, CASTLE) >= most_churches:
        return 0
    if not may_add_church(state, diocese):
        return 0
    return state.land[state.active] & ~all_churches(state)


def may_add_church(state: RexState, diocese: int) -> bool:
    """Tell whether the diocese has a church left, and this action may build (another) one of it.

    A second one only if he owned none of the diocese before the action; never a third (K14).
    """
    churches = state.churches[diocese]
    if churches.bit_count() >= state.options.churches_per_diocese:
        return False
    first = CHURCH + diocese * REGION_COUNT
    of_diocese = built_within(state, first, first + REGION_COUNT)
    if of_diocese == 0:
        return True
    return of_diocese == 1 and (churches & state.land[state.active]).bit_count() == 1


def built_within(state: RexState, first: int, end: int) -> int:
    """Count the buildings of this action whose ids are in `first` to `end - 1`."""
    number = 0
    for building in state.built:
        if first <= building < end:
            number += 1
    return number


def legal_build(state: RexState) -> Sequence[int]:
    """Return CHURCH and CASTLE beyond the last building in the table, and BUILD_DONE after the first."""
    found: list[int] = []
    last = state.built[-1] if state.built else 0
    for diocese in range(DIOCESE_COUNT):
        first = CHURCH + diocese * REGION_COUNT
        if last < first + REGION_COUNT:
            sites = regions_of(church_sites(state, diocese))
            found += [first + region for region in sites if first + region > last]
    found += [CASTLE + region for region in regions_of(castle_sites(state)) if CASTLE + region > last]
    if state.built:
        found.append(BUILD_DONE)
    return found


def is_legal_build(state: RexState, action: int) -> bool:
    """Tell whether the action builds something, or stops."""
    if action == BUILD_DONE:
        return bool(state.built)
    if state.built and action <= state.built[-1]:
        return False
    if CASTLE <= action < CASTLE + REGION_COUNT:
        return castle_sites(state) & BIT[action - CASTLE] != 0
    if not CHURCH <= action < CASTLE:
        return False
    diocese, region = (action - CHURCH) // REGION_COUNT, (action - CHURCH) % REGION_COUNT
    return church_sites(state, diocese) & BIT[region] != 0


def apply_build(state: RexState, action: int) -> None:
    """Build and pay; the action ends by itself when nothing more is legal."""
    put_building(state, action)
    state.built = (*state.built, action)
    further = legal_build(state)
    if len(further) == 1:
        flow.end_turn(state)
    else:
        state.legal = further


def put_building(state: RexState, action: int) -> None:
    """Put a church or a castle on the board and pay for it (K12)."""
    seat = state.active
    if action >= CASTLE:
        state.castles |= BIT[action - CASTLE]
        state.gold[seat] -= state.options.castle_price
    else:
        diocese, region = (action - CHURCH) // REGION_COUNT, (action - CHURCH) % REGION_COUNT
        state.churches[diocese] |= BIT[region]
        state.gold[seat] -= state.options.church_price


def check_build(state: RexState) -> None:
    """Raise PositionError unless what was built stands there."""
    for building in state.built:
        diocese, region = (building - CHURCH) // REGION_COUNT, (building - CHURCH) % REGION_COUNT
        mask = state.castles if building >= CASTLE else state.churches[diocese]
        standing = mask & state.land[state.active] & BIT[region]
        need(standing, f"pending.built: {ACTIONS.names[building]} does not stand there")
