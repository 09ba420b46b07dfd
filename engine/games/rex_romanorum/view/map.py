"""The map of the picture: regions with owners, churches, castles and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from typing import Final

from engine.games.rex_romanorum.board import (
    BIT,
    DIOCESE_COUNT,
    POINTS,
    REGIONS,
    regions_of,
    shapes,
)
from engine.games.rex_romanorum.state import FIGHT_ON, NOBODY, RAZE, RexState
from engine.games.rex_romanorum.view.text import DIOCESE_LETTERS, attacking, figures_text, letter_of, standing_in
from engine.kit.drawing import group, part, polygon, text

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
PATTERNS: Final = "".join(
    f'<pattern id="p{seat}" width="10" height="10" patternUnits="userSpaceOnUse">'
    f'<rect width="10" height="10" fill="{ARMS[seat]}"/>{hatch} stroke="{_INKS[seat]}" stroke-width="0.8"'
    ' stroke-opacity="0.5" fill="none"/></pattern>'
    for seat, hatch in enumerate(_HATCHES)
)
"""A fill and a hatching for each seat."""
_OUT_OF_PLAY: Final = "#e4e4e4"
CHURCH_INKS: Final = ("#b3261e", "#222222", "#1f5fae")
CASTLE: Final = (
    '<path d="M-7 6V-7h3v3h2.5v-3h3v3h2.5v-3h3V6Z" fill="#5b5b5b" stroke="#111"/>'
    '<path d="M-1.8 6V1h3.6v5Z" fill="#fff"/>'
)
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
    outline = f'<path d="M-9 -10H9V1C9 7 4 10 0 12C-4 10 -9 7 -9 1Z" fill="url(#p{seat})" stroke="#222"/>'
    return group(x, y, outline + halo(0, 4, letter_of(seat), "c b"))


def church(diocese: int, x: float, y: float) -> str:
    """Return a church of a diocese, with colour and letter (S2)."""
    outline = '<path d="M-7 8V-2L-1 -7V-12H-3V-13.500H-1V-15.500H1V-13.500H3V-12H1V-7L7 -2V8Z" fill="#fff"'
    letter = f'<text y="6" class="c s b i{diocese}">{DIOCESE_LETTERS[diocese]}</text>'
    return group(x, y, f'{outline} stroke="{CHURCH_INKS[diocese]}" stroke-width="1.4"/>{letter}')


def map_parts(state: RexState, names: Mapping[str, str]) -> Iterator[str]:
    """Yield all regions, the marked ones over them, then what stands in them."""
    for region, name in enumerate(REGIONS):
        yield part(_land(region, _fill(state, region)), place=name)
    yield part("".join(_marks(state)))
    for region, name in enumerate(REGIONS):
        yield part(_content(state, region, names), place=name)


def _marks(state: RexState) -> Iterator[str]:
    for region in state.drawn:
        yield polygon(_points(region), "card")
    if state.phase in (RAZE, FIGHT_ON):
        yield polygon(_points(state.target), "mark")
    for region in regions_of(state.contested | state.undefended):
        yield polygon(_points(region), "mark")


def _fill(state: RexState, region: int) -> str:
    owner = state.owner[region]
    if owner != NOBODY:
        return f"url(#p{owner})"
    return ARMS[NOBODY] if region in state.options.deck else _OUT_OF_PLAY


@cache
def _points(region: int) -> str:
    corners = (to_picture(x, y) for x, y in shapes()[REGIONS[region]])
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _land(region: int, fill: str) -> str:
    return f'<polygon class="land" points="{_points(region)}" fill="{fill}"/>'


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


def _content(state: RexState, region: int, names: Mapping[str, str]) -> str:
    """Return the name; under it owner, church and castle; under them figures, and attackers."""
    x, y = to_picture(*POINTS[region])
    signs = _signs(state, region)
    left = x - 10 * (len(signs) - 1)
    drawn = "".join(sign.format(left + 20 * place, y + 4) for place, sign in enumerate(signs))
    return f"{_name(region, x, y - _NAME_UP, names)}{drawn}{_figures(state, region, x, y + _FIGURES_DOWN)}"


def _name(region: int, x: float, y: float, names: Mapping[str, str]) -> str:
    """Return the name, in two lines if it has two words and no room, squeezed a little if it is still too long."""
    name = names[REGIONS[region]]
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


def _signs(state: RexState, region: int) -> list[str]:
    """Return templates of x and y for the owner's shield, the church and the castle."""
    found = []
    if state.owner[region] != NOBODY:
        found.append(_movable(shield(state.owner[region], 0, 0)))
    found += [
        _movable(church(diocese, 0, 4)) for diocese in range(DIOCESE_COUNT) if state.churches[diocese] & BIT[region]
    ]
    if state.castles & BIT[region]:
        found.append(_movable(CASTLE))
    return found


def _movable(drawing: str) -> str:
    return f'<g transform="translate({{:.1f}} {{:.1f}})">{drawing}</g>'


def _figures(state: RexState, region: int, x: float, y: float) -> str:
    """Return who stands there; the attackers, in red with their letter, stand below."""
    own = figures_text(standing_in(state, region))
    room = max(_width(region, _FIGURES_DOWN - 4), 40.0)
    shown = halo(x, y, own, "c f", room) if own else ""
    attackers = figures_text(attacking(state, region))
    if attackers:
        shown += halo(x, y + 12, f"⚔ {letter_of(state.active)} {attackers}", "c f a")
    return shown
