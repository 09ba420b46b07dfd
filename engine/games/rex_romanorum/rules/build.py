"""BUILD: churches and castles in one's own regions (section 5.1, K14)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import BUILD_DONE, CASTLE, CHURCH
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import Position
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.rules.land import all_churches


def can_build(position: Position) -> bool:
    """Whether at least one building is payable and legal."""
    if castle_sites(position):
        return True
    return any(church_sites(position, diocese) for diocese in range(DIOCESE_COUNT))


def castle_sites(position: Position) -> int:
    """Own regions where the next building may be a castle: at most one in a region."""
    most, _, most_castles = position.options.build
    if position.gold[position.active] < position.options.castle_price or len(position.built) >= most:
        return 0
    if sum(building >= CASTLE for building in position.built) >= most_castles:
        return 0
    return position.land[position.active] & ~position.castles


def church_sites(position: Position, diocese: int) -> int:
    """Own regions where the next building may be a church of the diocese: at most one in a region."""
    most, most_churches, _ = position.options.build
    if position.gold[position.active] < position.options.church_price or len(position.built) >= most:
        return 0
    if sum(building < CASTLE for building in position.built) >= most_churches:
        return 0
    if not may_add_church(position, diocese):
        return 0
    return position.land[position.active] & ~all_churches(position)


def may_add_church(position: Position, diocese: int) -> bool:
    """Whether the diocese has a church left, and this action may build (another) one of it.

    A second one only if he owned none of the diocese before the action; never a third (K14).
    """
    churches = position.churches[diocese]
    if churches.bit_count() >= position.options.churches_per_diocese:
        return False
    first = CHURCH + diocese * REGION_COUNT
    of_diocese = sum(first <= building < first + REGION_COUNT for building in position.built)
    if of_diocese == 0:
        return True
    return of_diocese == 1 and (churches & position.land[position.active]).bit_count() == 1


def legal(position: Position) -> Sequence[int]:
    """CHURCH and CASTLE beyond the last building in the table; BUILD_DONE after the first."""
    found: list[int] = []
    last = position.built[-1] if position.built else 0
    for diocese in range(DIOCESE_COUNT):
        first = CHURCH + diocese * REGION_COUNT
        if last < first + REGION_COUNT:
            sites = regions_of(church_sites(position, diocese))
            found += [first + region for region in sites if first + region > last]
    found += [CASTLE + region for region in regions_of(castle_sites(position)) if CASTLE + region > last]
    if position.built:
        found.append(BUILD_DONE)
    return found


def is_legal(position: Position, action: int) -> bool:
    """Whether `action` builds something, or stops."""
    if action == BUILD_DONE:
        return bool(position.built)
    if position.built and action <= position.built[-1]:
        return False
    if CASTLE <= action < CASTLE + REGION_COUNT:
        return castle_sites(position) & BIT[action - CASTLE] != 0
    if not CHURCH <= action < CASTLE:
        return False
    diocese, region = divmod(action - CHURCH, REGION_COUNT)
    return church_sites(position, diocese) & BIT[region] != 0


def apply(position: Position, action: int) -> None:
    """Build and pay; the action ends by itself when nothing more is legal."""
    if action == BUILD_DONE:
        flow.end_turn(position)
        return
    put_building(position, action)
    position.built = [*position.built, action]
    further = legal(position)
    if len(further) == 1:
        flow.end_turn(position)
    else:
        position.legal = further


def put_building(position: Position, action: int) -> None:
    """Put a church or a castle on the board and pay for it (K12)."""
    seat = position.active
    if action >= CASTLE:
        position.castles |= BIT[action - CASTLE]
        position.gold[seat] -= position.options.castle_price
    else:
        diocese, region = divmod(action - CHURCH, REGION_COUNT)
        position.churches[diocese] |= BIT[region]
        position.gold[seat] -= position.options.church_price
