"""ACQUIRE: draw three cards, keep some, garrison the new regions (section 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import ARCHER, FOOT, HIGHEST_COUNT, KEEP, PLACE, PLACE_DONE
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import COUNT, GARRISON, NOTHING, Position
from engine.games.rex_romanorum.position import KEEP as KEEP_PHASE
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.rules.land import take

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


def draw(position: Position) -> None:
    """Draw three cards, renewing an empty pile when the next card is needed; fewer only when no more are left (A1)."""
    drawn: list[int] = []
    while len(drawn) < CARDS_DRAWN:
        if not position.pile:
            if not position.discards:
                break
            renew_pile(position)
        drawn.append(position.pile.pop(0))
    position.drawn = drawn
    position.revelations = [("card", drawn)]
    position.phase = KEEP_PHASE


def renew_pile(position: Position) -> None:
    """Shuffle the discards into a new pile; cards just drawn stay out (A1, A2, K10)."""
    position.pile = position.discards
    position.discards = []
    position.source_of_chance().shuffle(position.pile)


def affordable_regions(position: Position) -> int:
    """How many of the drawn cards can be paid."""
    price = position.options.region_price
    return min(CARDS_DRAWN, position.gold[position.active] // price) if price else CARDS_DRAWN


def legal_keeps(position: Position) -> Sequence[int]:
    """KEEP: the subsets that can be paid."""
    return _KEEPS[len(position.drawn)][affordable_regions(position)]


def is_legal_keep(position: Position, action: int) -> bool:
    """Whether `action` keeps a subset that can be paid."""
    subset = action - KEEP
    return 0 <= subset < 1 << len(position.drawn) and subset.bit_count() <= affordable_regions(position)


def apply_keep(position: Position, action: int) -> None:
    """Pay and take the chosen regions; the others are discarded in the order drawn (A6)."""
    subset = action - KEEP
    seat = position.active
    position.gold[seat] -= position.options.region_price * subset.bit_count()
    for index, region in enumerate(position.drawn):
        if subset >> index & 1:
            position.fresh |= BIT[region]
            take(position, region, seat)
        else:
            position.discards.append(region)
    position.drawn = []
    enter_garrison(position)


def enter_garrison(position: Position) -> None:
    """Ask for the next placement in the new regions, or end the turn when there can be none (K3)."""
    placements = legal_garrisons(position)
    if len(placements) == 1:
        flow.end_turn(position)
    else:
        position.phase = GARRISON
        position.legal = placements


def legal_garrisons(position: Position) -> Sequence[int]:
    """PLACE of foot and archers in the regions just bought, in ascending order; PLACE_DONE."""
    found: list[int] = []
    gold = position.gold[position.active]
    for kind in (FOOT, ARCHER):
        if gold >= position.options.cost[kind]:
            for region in regions_of(position.fresh):
                figures = kind * REGION_COUNT + region
                if figures > position.last and free_places(position, region) > 0:
                    found.append(PLACE + figures)
    found.append(PLACE_DONE)
    return found


def free_places(position: Position, region: int) -> int:
    """How many figures may still be placed in a region just bought (A7)."""
    army = position.army
    return GARRISON_LIMIT - army[region] - army[REGION_COUNT + region] - army[2 * REGION_COUNT + region]


def is_legal_garrison(position: Position, action: int) -> bool:
    """Whether `action` places figures, or stops."""
    figures = action - PLACE
    if not position.last < figures < 2 * REGION_COUNT:
        return action == PLACE_DONE
    kind, region = divmod(figures, REGION_COUNT)
    return (
        position.fresh & BIT[region] != 0
        and position.gold[position.active] >= position.options.cost[kind]
        and free_places(position, region) > 0
    )


def apply_garrison(position: Position, action: int) -> None:
    """Ask how many, or end the turn."""
    if action == PLACE_DONE:
        flow.end_turn(position)
        return
    position.source = NOTHING
    position.target = action - PLACE
    position.phase = COUNT


def most_garrisoned(position: Position) -> int:
    """The most figures of the chosen kind that can be paid and still stand in the region."""
    kind, region = divmod(position.target, REGION_COUNT)
    affordable = position.gold[position.active] // position.options.cost[kind]
    return min(HIGHEST_COUNT, affordable, free_places(position, region))
