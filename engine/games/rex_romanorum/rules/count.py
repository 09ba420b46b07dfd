"""COUNT: how many figures are moved or placed (K9, K12)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import ACT_ACQUIRE, COUNT, HIGHEST_COUNT
from engine.games.rex_romanorum.board import REGION_COUNT
from engine.games.rex_romanorum.position import NOTHING, Position
from engine.games.rex_romanorum.rules import acquire, move, place
from engine.games.rex_romanorum.rules.land import add_figures, remove_figures


def most(position: Position) -> int:
    """The greatest number that may be named."""
    if position.source != NOTHING:
        return min(HIGHEST_COUNT, position.army[position.source])
    if position.task == ACT_ACQUIRE:
        return acquire.most_garrisoned(position)
    return place.most_placed(position)


def legal(position: Position) -> Sequence[int]:
    """COUNT from 1."""
    return range(COUNT + 1, COUNT + 1 + most(position))


def is_legal(position: Position, action: int) -> bool:
    """Whether that many may be named."""
    return COUNT < action <= COUNT + most(position)


def apply(position: Position, action: int) -> None:
    """Move or place that many, then ask for the next."""
    number = action - COUNT
    if position.source != NOTHING:
        move_figures(position, number)
    else:
        place_figures(position, number)


def move_figures(position: Position, number: int) -> None:
    """Move figures; they have then moved and stay there."""
    kind = position.source // REGION_COUNT
    there = kind * REGION_COUNT + position.target
    remove_figures(position, position.source, number)
    position.arrived[there] = position.arrived.get(there, 0) + number
    position.last, position.last_to = position.source, position.target
    position.source = position.target = NOTHING
    move.enter_sources(position)


def place_figures(position: Position, number: int) -> None:
    """Place figures and pay for them."""
    figures = position.target
    position.gold[position.active] -= number * position.options.cost[figures // REGION_COUNT]
    add_figures(position, figures, number)
    position.last = figures
    position.target = NOTHING
    if position.task == ACT_ACQUIRE:
        acquire.enter_garrison(position)
    else:
        place.enter(position)
