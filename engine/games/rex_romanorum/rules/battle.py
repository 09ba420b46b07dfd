"""RAZE, FIGHT and FIGHT_ON: conquest, fights round by round, retreat (section 4, C8-C17, K5, K6, K11)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import FIGHT, FIGHT_ON, KEEP_CASTLE, RAZE, RETREAT
from engine.games.rex_romanorum.board import BIT, NEIGHBOURS, REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import FIGHT as FIGHT_PHASE
from engine.games.rex_romanorum.position import FIGHT_ON as FIGHT_ON_PHASE
from engine.games.rex_romanorum.position import NOTHING, Position
from engine.games.rex_romanorum.position import RAZE as RAZE_PHASE
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.rules.land import add_figures, manned, take


def settle_arrivals(position: Position) -> None:
    """Figures that moved into own regions stand there now; the others are attackers."""
    land = position.land[position.active]
    attackers: dict[int, int] = {}
    for figures, number in position.arrived.items():
        if land & BIT[figures % REGION_COUNT]:
            add_figures(position, figures, number)
        else:
            attackers[figures] = number
    position.arrived = attackers


def begin(position: Position) -> None:
    """Every foreign region with a figure of the active player is attacked: first take the undefended ones (C8)."""
    attacked = 0
    for figures in position.arrived:
        attacked |= BIT[figures % REGION_COUNT]
    defended = manned(position)
    position.undefended = attacked & ~defended
    position.contested = attacked & defended
    go_on(position)


def go_on(position: Position) -> None:
    """Conquer the next undefended region (K5), else ask for the next fight (C9), else end the turn."""
    position.target = NOTHING
    while position.undefended:
        region = regions_of(position.undefended)[0]
        position.undefended &= ~BIT[region]
        conquer(position, region)
        if position.phase == RAZE_PHASE:
            return
    if position.contested:
        position.phase = FIGHT_PHASE
    else:
        flow.end_turn(position)


def conquer(position: Position, region: int) -> None:
    """The attackers in the region own it now, with its church and titles (C13); with a castle RAZE follows (C14)."""
    take(position, region, position.active)
    stand_down(position, region, region)
    if position.castles & BIT[region]:
        position.phase = RAZE_PHASE
        position.target = region


def stand_down(position: Position, region: int, to: int) -> None:
    """The attackers in `region` become ordinary figures in `to`, an own region."""
    for first in (0, REGION_COUNT, 2 * REGION_COUNT):
        number = position.arrived.pop(first + region, 0)
        if number:
            add_figures(position, first + to, number)


def legal_razes(_position: Position) -> Sequence[int]:
    """RAZE, KEEP_CASTLE."""
    return (RAZE, KEEP_CASTLE)


def is_legal_raze(_position: Position, action: int) -> bool:
    """Whether `action` decides on the castle."""
    return action in (RAZE, KEEP_CASTLE)


def apply_raze(position: Position, action: int) -> None:
    """Raze the castle of the region just conquered, or keep it; knights in it stay either way (B3, B8)."""
    if action == RAZE:
        position.castles &= ~BIT[position.target]
    position.phase = FIGHT_PHASE
    go_on(position)


def legal_fights(position: Position) -> Sequence[int]:
    """FIGHT for each region that is still contested."""
    return [FIGHT + region for region in regions_of(position.contested)]


def is_legal_fight(position: Position, action: int) -> bool:
    """Whether that region is still contested."""
    region = action - FIGHT
    return 0 <= region < REGION_COUNT and position.contested & BIT[region] != 0


def apply_fight(position: Position, action: int) -> None:
    """Fight the first round there."""
    position.target = action - FIGHT
    position.contested &= ~BIT[position.target]
    fight_round(position)


def retreats(position: Position) -> int:
    """Own regions beside the fight (C12); those conquered this turn count."""
    return NEIGHBOURS[position.target] & position.land[position.active]


def legal_rounds(position: Position) -> Sequence[int]:
    """FIGHT_ON, RETREAT."""
    return [FIGHT_ON, *(RETREAT + region for region in regions_of(retreats(position)))]


def is_legal_round(position: Position, action: int) -> bool:
    """Whether `action` goes on, or retreats to where it may."""
    region = action - RETREAT
    return action == FIGHT_ON or (0 <= region < REGION_COUNT and retreats(position) & BIT[region] != 0)


def apply_round(position: Position, action: int) -> None:
    """Fight another round, or retreat: all attackers together, and the region is left alone this turn (K6)."""
    if action == FIGHT_ON:
        fight_round(position)
    else:
        stand_down(position, position.target, action - RETREAT)
        go_on(position)


def fight_round(position: Position) -> None:
    """Roll one full round in the region of the fight, and see who is left (C11)."""
    region = position.target
    indices = (region, REGION_COUNT + region, 2 * REGION_COUNT + region)
    sides = ([position.arrived.get(i, 0) for i in indices], [position.army[i] for i in indices])
    roll_round(position, sides)
    for kind in range(3):
        put_survivors(position, kind, region, sides[0][kind], sides[1][kind])
    if not any(sides[1]):  # C15
        conquer(position, region)
        if position.phase != RAZE_PHASE:
            go_on(position)
    elif any(sides[0]):
        position.phase = FIGHT_ON_PHASE
    else:
        go_on(position)


def put_survivors(position: Position, kind: int, region: int, attackers: int, defenders: int) -> None:
    """Write the figures of one kind back that live after a round."""
    figures = kind * REGION_COUNT + region
    if attackers:
        position.arrived[figures] = attackers
    else:
        position.arrived.pop(figures, None)
    position.army[figures] = defenders
    if not defenders:
        position.standing[kind] &= ~BIT[region]


def roll_round(position: Position, sides: tuple[list[int], list[int]]) -> None:
    """Roll the six steps of section 4.2 and remove what is hit; `sides` are (attackers, defenders) by kind.

    In a step all living figures of one side and kind roll; the fight ends at once when a side is gone (K11).
    """
    options = position.options
    terrain = 1 if position.castles & BIT[position.target] else 0
    chance = position.source_of_chance()
    for side, kind in options.roll_order[terrain]:
        dice = [chance.d6() for _ in range(sides[side][kind])]
        if not dice:
            continue
        position.revelations.append(("d6", dice))
        value = options.strength[terrain][side][kind]
        hits = sum(die <= value for die in dice) if options.hits_low else sum(die >= value for die in dice)
        remove_hit(sides[1 - side], options.rows[terrain], hits)
        if not any(sides[1 - side]):
            break


def remove_hit(figures: list[int], rows: tuple[int, int, int], hits: int) -> None:
    """Remove as many figures as are hit, front row first; surplus hits are lost."""
    for kind in rows:
        fallen = min(hits, figures[kind])
        figures[kind] -= fallen
        hits -= fallen
