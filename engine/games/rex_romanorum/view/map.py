"""The map of the picture: regions with owners, churches, castles and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from html import escape
from math import atan2, degrees, hypot
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.board import (
    BIT,
    DIOCESE_COUNT,
    POINTS,
    REGION_COUNT,
    REGION_INDEX,
    REGIONS,
    regions_of,
    shapes,
)
from engine.games.rex_romanorum.state import COUNT, FIGHT_ON, MOVE_TO, NOBODY, NOTHING, RAZE, RexState
from engine.games.rex_romanorum.view.text import DIOCESE_LETTERS, figures_text, letter_of
from engine.kit.drawing import group, part, text

ARMS: Final[Mapping[int, str]] = {
    NOBODY: "#f4ecd8",
    0: "#f3b4a5",
    1: "#aecbf0",
    2: "#b5ddb0",
    3: "#f4e08a",
    4: "#c9c9c9",
}
"""Pale fills, so that names stay readable: Habsburg, Wittelsbach, Ascania, Welf, Wettin (S1)."""
_INKS: Final = ("#c0392b", "#1f5fae", "#2e8b3d", "#a88400", "#333333")
_HATCHES: Final = (
    '<path d="M0 10L10 0"',
    '<path d="M0 5H10"',
    '<path d="M5 0V10"',
    '<path d="M0 0L10 10"',
    '<path d="M0 0L10 10M0 10L10 0"',
)
_PATTERNS: Final = "".join(
    f'<pattern id="p{seat}" width="10" height="10" patternUnits="userSpaceOnUse">'
    f'<rect width="10" height="10" fill="{ARMS[seat]}"/>{hatch} stroke="{_INKS[seat]}" stroke-width="0.8"'
    ' stroke-opacity="0.5" fill="none"/></pattern>'
    for seat, hatch in enumerate(_HATCHES)
)
"""A fill and a hatching for each seat."""
_OUT_OF_PLAY: Final = "#e4e4e4"
CHURCH_INKS: Final = ("#b3261e", "#222222", "#1f5fae")
_CASTLE: Final = (
    '<path d="M-7 6V-7h3v3h2.5v-3h3v3h2.5v-3h3V6Z" fill="#5b5b5b" stroke="#111"/>'
    '<path d="M-1.8 6V1h3.6v5Z" fill="#fff"/>'
)
SWORDS: Final = '<path class="sw" d="M-5 -5L5 5M-5 5L5 -5M-5 1L-1 5M1 5L5 1"/>'
"""Crossed, before attackers."""
_SCALE: Final = 1.2
_LETTER_WIDTH: Final = 5.9
_NAME_UP: Final = 12
"""How far above a region's point its name stands; owner and figures stand closely below it, clear of the next name."""
_FIGURES_DOWN: Final = 25
_NARROWEST: Final = 0.8
"""Names are squeezed to this part of their width at most."""


def to_picture(x: float, y: float) -> tuple[float, float]:
    """Return a point of the board in units of the picture."""
    return (x - 92) * _SCALE + 10, (y - 20) * _SCALE + 40


def halo(x: float, y: float, content: str, classes: str, widest: float = 0) -> str:
    """Return a text on a pale rim, to be read on any hatching."""
    return text(x, y, content, f"{classes} o", widest=widest) + text(x, y, content, classes, widest=widest)


def shield(seat: int, x: float, y: float) -> str:
    """Return the arms of a seat, with fill, hatching and letter."""
    return f'<use href="#s{seat}" x="{x:g}" y="{y:g}"/>'


def church(diocese: int, x: float, y: float) -> str:
    """Return a church of a diocese, with colour and letter (S2)."""
    return f'<use href="#c{diocese}" x="{x:g}" y="{y:g}"/>'


def castle(x: float, y: float) -> str:
    """Return a castle."""
    return f'<use href="#castle" x="{x:g}" y="{y:g}"/>'


def _arms(seat: int) -> str:
    outline = f'<path d="M-9 -10H9V1C9 7 4 10 0 12C-4 10 -9 7 -9 1Z" fill="url(#p{seat})" stroke="#222"/>'
    return f'<g id="s{seat}">{outline}{halo(0, 4, letter_of(seat), "c b")}</g>'


def _spire(diocese: int) -> str:
    outline = '<path d="M-7 8V-2L-1 -7V-12H-3V-13.500H-1V-15.500H1V-13.500H3V-12H1V-7L7 -2V8Z" fill="#fff"'
    letter = f'<text y="6" class="c s b i{diocese}">{DIOCESE_LETTERS[diocese]}</text>'
    return f'<g id="c{diocese}">{outline} stroke="{CHURCH_INKS[diocese]}" stroke-width="1.4"/>{letter}</g>'


@dataclass(frozen=True, slots=True)
class Standing:
    """What is drawn in a region: equal values, equal pictures."""

    owner: int
    church: int
    """The diocese of its church, or NOBODY."""
    castle: bool
    own: str
    """The owner's figures."""
    attackers: str
    attacker: int


def standing_of(state: RexState, region: int) -> Standing:
    """Return what stands in a region."""
    bit, owner, active, arrived = BIT[region], state.owner[region], state.active, state.arrived
    army = state.army
    own = (army[region], army[REGION_COUNT + region], army[2 * REGION_COUNT + region])
    moved = (0, 0, 0)
    if arrived:
        moved = (
            arrived.get(region, 0),
            arrived.get(REGION_COUNT + region, 0),
            arrived.get(2 * REGION_COUNT + region, 0),
        )
    church = next((diocese for diocese, mask in enumerate(state.churches) if mask & bit), NOBODY)
    return _standing(owner, church, bool(state.castles & bit), own, moved, active if any(moved) else NOBODY)


@lru_cache(maxsize=8192)
def _standing(
    owner: int, church: int, castle: bool, own: tuple[int, ...], moved: tuple[int, ...], mover: int
) -> Standing:
    """Return what stands there: figures that have moved into land of their own stand with the others."""
    if owner == mover:
        own, moved, mover = tuple(map(sum, zip(own, moved, strict=True))), (0, 0, 0), NOBODY
    return Standing(owner, church, castle, figures_text(own), figures_text(moved), mover)


def map_parts(state: RexState, view: View, names: Mapping[str, str]) -> Iterator[str]:
    """Yield all regions, over them what is marked and what the last move changed, then what stands in them."""
    for region, name in enumerate(REGIONS):
        yield part(_shape(region, "land", _fill(state, region)), place=name)
    yield part("".join(_marks(state)))
    yield part("" if view.last is None else "".join(last_move(view.last)))
    for region, name in enumerate(REGIONS):
        yield part(_content(region, standing_of(state, region), names[name]), place=name)


def _marks(state: RexState) -> Iterator[str]:
    for region in state.drawn:
        yield _shape(region, "card")
    if state.phase in (RAZE, FIGHT_ON):
        yield _shape(state.target, "mark")
    for region in regions_of(state.contested | state.undefended):
        yield _shape(region, "mark")


def last_move(move: Move) -> Iterator[str]:
    """Yield the outlines of the regions that the move was about or changed, and an arrow along a move of figures."""
    touched = set(touched_regions(move))
    for region in sorted(touched):
        yield _shape(region, "halo") + _shape(region, "last")
    way = way_of(move)
    if way is not None:
        yield _arrow(*way)


def touched_regions(move: Move) -> Iterator[int]:
    """Yield the regions that the action names, and those in which something else stands after it."""
    named = move.notation.rpartition(":")[2]
    if named in REGION_INDEX and not move.notation.startswith("ACT_"):
        yield REGION_INDEX[named]
    for region in range(REGION_COUNT):
        if standing_of(move.before, region) != standing_of(move.after, region):
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
    """Return an arrow between the points of two regions, short of both."""
    (x1, y1), (x2, y2) = to_picture(*POINTS[source]), to_picture(*POINTS[target])
    length = hypot(x2 - x1, y2 - y1)
    along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
    x1, y1, x2, y2 = x1 + 14 * along_x, y1 + 14 * along_y, x2 - 18 * along_x, y2 - 18 * along_y
    line = f'd="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"'
    angle = degrees(atan2(along_y, along_x))
    head = f'<path class="head" transform="translate({x2:.1f} {y2:.1f}) rotate({angle:.0f})" d="M-4 -8L10 0L-4 8Z"/>'
    return f'<path class="halo" {line}/><path class="way" {line}/>{head}'


def _fill(state: RexState, region: int) -> str:
    owner = state.owner[region]
    if owner != NOBODY:
        return f"url(#p{owner})"
    return ARMS[NOBODY] if region in state.options.deck else _OUT_OF_PLAY


def _outline(region: int) -> str:
    corners = (to_picture(x, y) for x, y in shapes()[REGIONS[region]])
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)


@cache
def map_defs() -> str:
    """Return what the parts of the map refer to: hatchings, outlines of regions, arms, churches, the castle."""
    regions = (f'<path id="r{region}" d="M{_outline(region)}Z"/>' for region in range(REGION_COUNT))
    arms, spires = map(_arms, range(len(_INKS))), map(_spire, range(DIOCESE_COUNT))
    return "".join((_PATTERNS, *regions, *arms, *spires, f'<g id="castle">{_CASTLE}</g>'))


@cache
def _shape(region: int, classes: str, fill: str = "") -> str:
    """Return the outline of a region; the fill of the class holds if none is given."""
    filled = f' fill="{fill}"' if fill else ""
    return f'<use href="#r{region}" class="{classes}"{filled}/>'


@cache
def _width(region: int, down: float) -> float:
    """Return how wide the region is, in units of the picture, so many of them below its point."""
    x, y = POINTS[region]
    ring = shapes()[REGIONS[region]]
    level = y + (down + 0.1) / _SCALE  # on no corner
    crossings = [
        x1 + (level - y1) * (x2 - x1) / (y2 - y1)
        for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True)
        if (y1 - level) * (y2 - level) < 0
    ]
    left = max((crossing for crossing in crossings if crossing <= x), default=x - 25)
    right = min((crossing for crossing in crossings if crossing >= x), default=x + 25)
    return 2 * min(x - left, right - x) * _SCALE


@lru_cache(maxsize=8192)
def _content(region: int, stands: Standing, name: str) -> str:
    """Return the name; under it owner, church and castle; under them figures, and attackers."""
    x, y = (round(along, 1) for along in to_picture(*POINTS[region]))
    signs = _signs(stands)
    left = x - 10 * (len(signs) - 1)
    drawn = "".join(sign(left + 20 * place, y + 4) for place, sign in enumerate(signs))
    return f"{_name(region, x, y - _NAME_UP, name)}{drawn}{_figures(region, stands, x, y + _FIGURES_DOWN)}"


def _name(region: int, x: float, y: float, name: str) -> str:
    """Return the name, in two lines if it has two words and no room, squeezed a little if it is still too long."""
    room = max(_width(region, -_NAME_UP), 36.0)
    words = name.split(" ") if len(name) * _LETTER_WIDTH > room else [name]
    lines = [" ".join(words[:-1]), words[-1]] if len(words) > 1 else words
    return "".join(_name_line(line, x, y - 11 * (len(lines) - 1 - place), room) for place, line in enumerate(lines))


def _name_line(line: str, x: float, y: float, room: float) -> str:
    natural = len(line) * _LETTER_WIDTH
    squeezed = max(room, _NARROWEST * natural)
    length = f' textLength="{squeezed:.0f}" lengthAdjust="spacingAndGlyphs"' if squeezed < natural else ""
    place = f'x="{x:.1f}" y="{y:.1f}"{length}'
    return f'<text {place} class="c n o">{escape(line)}</text><text {place} class="c n">{escape(line)}</text>'


def _signs(stands: Standing) -> list[Callable[[float, float], str]]:
    """Return what draws the owner's shield, the church and the castle at a place."""
    found: list[Callable[[float, float], str]] = []
    if stands.owner != NOBODY:
        found.append(partial(shield, stands.owner))
    if stands.church != NOBODY:
        found.append(lambda x, y: church(stands.church, x, y + 4))
    if stands.castle:
        found.append(castle)
    return found


def _figures(region: int, stands: Standing, x: float, y: float) -> str:
    """Return who stands there; the attackers, in red with swords and their letter, stand below."""
    room = max(_width(region, _FIGURES_DOWN - 4), 40.0)
    shown = halo(x, y, stands.own, "c f", room) if stands.own else ""
    if stands.attackers:
        who = f"{letter_of(stands.attacker)} {stands.attackers}"
        shown += group(x - 3.4 * len(who) - 6, y + 8, SWORDS) + halo(x + 6, y + 12, who, "c f a")
    return shown
