"""MOVE_FROM and MOVE_TO: figures move within one's own land (action 4) or to attack (action 5; B5, C1-C7)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import (
    ACT_ATTACK,
    ACT_MUSTER,
    FIGURE_COUNT,
    MOVE_DONE,
    MOVE_FROM,
    MOVE_TO,
)
from engine.games.rex_romanorum.board import ABOVE, BIT, NEIGHBOURS, REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import COUNT, NOTHING, Position
from engine.games.rex_romanorum.position import MOVE_FROM as MOVE_FROM_PHASE
from engine.games.rex_romanorum.position import MOVE_TO as MOVE_TO_PHASE
from engine.games.rex_romanorum.rules import battle, place
from engine.games.rex_romanorum.rules.land import manned


def may_end(position: Position) -> int:
    """Regions where figures may end: own ones, in an attack also enemy ones, never unowned ones (B5, C1)."""
    return position.owned if position.task == ACT_ATTACK else position.land[position.active]


def may_pass(position: Position) -> int:
    """Regions through which a knight may ride on.

    In action 4 own ones (B5); in an attack every region where no foreign figure stands: an empty castle, unowned land
    and own figures do not block (C3, C4).
    """
    land = position.land[position.active]
    return ~(manned(position) & ~land) if position.task == ACT_ATTACK else land


def reach(steps: int, region: int, ending: int, passing: int) -> int:
    """Where figures from `region` can end, by any path; never where they came from (K4)."""
    near = NEIGHBOURS[region]
    far = near
    if steps == 2:
        for through in regions_of(near & passing):
            far |= NEIGHBOURS[through]
    return far & ending & ~BIT[region]


def can_attack(position: Position) -> bool:
    """Whether one of his figures has a legal destination in an attack."""
    land = position.land[position.active]
    ending = position.owned
    passing = ~(manned(position) & ~land)
    for kind in range(3):
        for region in regions_of(position.standing[kind] & land):
            if NEIGHBOURS[region] & ending or reach(position.options.move[kind], region, ending, passing):
                return True
    return False


def enter_sources(position: Position) -> None:
    """Ask for the next move. In action 4 go on to placing when nothing can move (K3)."""
    sources = legal_sources(position)
    if position.task == ACT_MUSTER and len(sources) == 1:
        finish_moves(position)
    else:
        position.phase = MOVE_FROM_PHASE
        position.legal = sources


def legal_sources(position: Position) -> Sequence[int]:
    """MOVE_FROM, not before the last source; MOVE_DONE, in an attack only after a move."""
    found: list[int] = []
    land, ending, passing = position.land[position.active], may_end(position), may_pass(position)
    for kind in range(3):
        first = kind * REGION_COUNT
        if first + REGION_COUNT <= position.last:
            continue
        steps = position.options.move[kind]
        for region in regions_of(position.standing[kind] & land):
            figures = first + region
            if figures > position.last:
                # Any way will do, and one step is the quick look.
                is_free = NEIGHBOURS[region] & ending != 0 or reach(steps, region, ending, passing) != 0
                if is_free:
                    found.append(MOVE_FROM + figures)
            elif figures == position.last and reach(steps, region, ending, passing) & ABOVE[position.last_to]:
                found.append(MOVE_FROM + figures)
    if position.task == ACT_MUSTER or position.last != NOTHING:
        found.append(MOVE_DONE)
    return found


def is_legal_source(position: Position, action: int) -> bool:
    """Whether `action` picks figures that can move, or stops."""
    if action == MOVE_DONE:
        return position.task == ACT_MUSTER or position.last != NOTHING
    figures = action - MOVE_FROM
    if not 0 <= figures < FIGURE_COUNT or figures < position.last or not position.army[figures]:
        return False
    region = figures % REGION_COUNT
    return position.land[position.active] & BIT[region] != 0 and targets(position, figures) != 0


def targets(position: Position, figures: int) -> int:
    """Where the figures of one kind and region may go; from the last source only beyond its last target (K4)."""
    kind, region = divmod(figures, REGION_COUNT)
    found = reach(position.options.move[kind], region, may_end(position), may_pass(position))
    return found & ABOVE[position.last_to] if figures == position.last else found


def apply_source(position: Position, action: int) -> None:
    """Ask where they go, or finish."""
    if action == MOVE_DONE:
        finish_moves(position)
        return
    position.source = action - MOVE_FROM
    position.phase = MOVE_TO_PHASE


def legal_targets(position: Position) -> Sequence[int]:
    """MOVE_TO."""
    return [MOVE_TO + region for region in regions_of(targets(position, position.source))]


def is_legal_target(position: Position, action: int) -> bool:
    """Whether the figures may go there."""
    region = action - MOVE_TO
    return 0 <= region < REGION_COUNT and targets(position, position.source) & BIT[region] != 0


def apply_target(position: Position, action: int) -> None:
    """Ask how many go."""
    position.target = action - MOVE_TO
    position.phase = COUNT


def finish_moves(position: Position) -> None:
    """All moves are made: place new figures, or settle the attack."""
    position.source = position.target = position.last = position.last_to = NOTHING
    battle.settle_arrivals(position)
    if position.task == ACT_MUSTER:
        place.enter(position)
    else:
        battle.begin(position)
