"""The map of the picture: regions hatched for their owners, what is marked, what the last move changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import atan2, degrees, hypot
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.board import REGION_COUNT, REGION_INDEX, REGIONS, regions_of
from engine.games.rex_romanorum.state import COUNT, FIGHT_ON, MOVE_TO, NOBODY, NOTHING, RAZE, RexState
from engine.games.rex_romanorum.view.geography import HEIGHT, WIDTH, draw_ground, middle_of, shape
from engine.games.rex_romanorum.view.pieces import ARMS
from engine.games.rex_romanorum.view.region_pieces import content, pieces_of
from engine.kit.drawing import part

_OUT_OF_PLAY: Final = "#dcd8cc"
STYLE: Final = (
    ".mark{fill:none;stroke:#c00;stroke-width:4.5}.card{fill:none;stroke:#b8860b;stroke-width:5;stroke-dasharray:8 4}"
    ".edge{fill:none;stroke:#222;stroke-width:8;stroke-linejoin:round}.last{stroke:#ffe100;stroke-width:5}"
    ".halo{fill:none;stroke:#fff;stroke-width:9}.way{fill:none;stroke:#111;stroke-width:4.5}"
    ".head{fill:#111;stroke:#fff;stroke-width:1.5}"
)


def map_parts(state: RexState, view: View, names: Mapping[str, str], top: float) -> Iterator[str]:
    """Yield the ground, all regions, what is marked and what the last move changed, then what stands in the regions."""
    yield part(draw_ground(names), down=top)
    for region in range(REGION_COUNT):
        yield part(shape(region, "land", _fill(state, region)), down=top)
    yield part(f'<rect class="frame" x="8" width="{WIDTH - 16}" height="{HEIGHT}"/>', down=top)
    yield part("".join(_marks(state)), down=top)
    yield part("" if view.last is None else "".join(last_move(view.last)), down=top)
    for region, name in enumerate(REGIONS):
        yield part(content(region, pieces_of(state, region), names[name]), place=name, down=top)


def _marks(state: RexState) -> Iterator[str]:
    for region in state.drawn:
        yield shape(region, "card")
    if state.phase in (RAZE, FIGHT_ON):
        yield shape(state.target, "mark")
    for region in regions_of(state.contested | state.undefended):
        yield shape(region, "mark")


def last_move(move: Move) -> Iterator[str]:
    """Yield the outlines of the regions that the move was about or changed, and an arrow along a move of figures."""
    touched = sorted(set(touched_regions(move)))
    for classes in ("edge", "edge last"):
        for region in touched:
            yield shape(region, classes)
    way = way_of(move)
    if way is not None:
        yield _arrow(*way)


def touched_regions(move: Move) -> Iterator[int]:
    """Yield the regions that the action names, and those in which something else stands after it."""
    named = move.notation.rpartition(":")[2]
    if named in REGION_INDEX and not move.notation.startswith("ACT_"):
        yield REGION_INDEX[named]
    for region in range(REGION_COUNT):
        if pieces_of(move.before, region) != pieces_of(move.after, region):
            yield region


def way_of(move: Move) -> tuple[int, int] | None:
    """Return from where to where figures moved, or will move, or None if none did."""
    before: RexState = move.before
    if before.phase == MOVE_TO:
        return before.source % REGION_COUNT, REGION_INDEX[move.notation.partition(":")[2]]
    if before.phase == COUNT and before.source != NOTHING:
        return before.source % REGION_COUNT, before.target
    if move.notation.startswith("RETREAT:"):
        return before.target, REGION_INDEX[move.notation.partition(":")[2]]
    return None


def _arrow(source: int, target: int) -> str:
    """Return an arrow between the middles of two regions, short of both."""
    (x1, y1), (x2, y2) = middle_of(source), middle_of(target)
    length = hypot(x2 - x1, y2 - y1)
    along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
    start, end = min(12, length / 6), min(18, length / 4)
    x1, y1, x2, y2 = x1 + start * along_x, y1 + start * along_y, x2 - end * along_x, y2 - end * along_y
    line = f'd="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"'
    angle = degrees(atan2(along_y, along_x))
    head = f'<path class="head" transform="translate({x2:.1f} {y2:.1f}) rotate({angle:.0f})" d="M-4 -10L13 0L-4 10Z"/>'
    return f'<path class="halo" {line}/><path class="way" {line}/>{head}'


def _fill(state: RexState, region: int) -> str:
    owner = state.owner[region]
    if owner != NOBODY:
        return f"url(#p{owner})"
    return ARMS[NOBODY] if region in state.options.deck else _OUT_OF_PLAY
