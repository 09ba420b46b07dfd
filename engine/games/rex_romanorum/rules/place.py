"""PLACE: the figures bought in action 4 (B4, B6, B7, B9)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import FIGURE_COUNT, HIGHEST_COUNT, KNIGHT, PLACE, PLACE_DONE
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import COUNT, NOTHING, Position
from engine.games.rex_romanorum.position import PLACE as PLACE_PHASE
from engine.games.rex_romanorum.rules import flow


def sites(position: Position, kind: int) -> int:
    """Own regions for foot and archers, own castles for knights (B6)."""
    land = position.land[position.active]
    return land & position.castles if kind == KNIGHT else land


def enter(position: Position) -> None:
    """Ask for the next placement, or end the turn when there can be none (K3)."""
    placements = legal(position)
    if len(placements) == 1:
        flow.end_turn(position)
    else:
        position.phase = PLACE_PHASE
        position.legal = placements


def legal(position: Position) -> Sequence[int]:
    """PLACE beyond the last one, if payable; PLACE_DONE."""
    found: list[int] = []
    gold = position.gold[position.active]
    for kind in range(3):
        first = kind * REGION_COUNT
        if gold >= position.options.cost[kind] and first + REGION_COUNT > position.last:
            places = [first + region for region in regions_of(sites(position, kind))]
            found += [PLACE + figures for figures in places if figures > position.last]
    found.append(PLACE_DONE)
    return found


def is_legal(position: Position, action: int) -> bool:
    """Whether `action` places figures, or stops."""
    figures = action - PLACE
    if not 0 <= figures < FIGURE_COUNT or figures <= position.last:
        return action == PLACE_DONE
    kind, region = divmod(figures, REGION_COUNT)
    return sites(position, kind) & BIT[region] != 0 and position.gold[position.active] >= position.options.cost[kind]


def apply(position: Position, action: int) -> None:
    """Ask how many, or end the turn."""
    if action == PLACE_DONE:
        flow.end_turn(position)
        return
    position.source = NOTHING
    position.target = action - PLACE
    position.phase = COUNT


def most_placed(position: Position) -> int:
    """The most figures of the chosen kind that can be paid; regions hold any number (B9)."""
    kind = position.target // REGION_COUNT
    return min(HIGHEST_COUNT, position.gold[position.active] // position.options.cost[kind])
