"""The map: the ground, the regions hatched for their owners, what stands in them, and what the last move changed.

The middle of the board, where regions are small and stand close, is drawn larger than Prussia and Italy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import atan2, degrees, hypot
from typing import Any, Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, REGION_INDEX, REGIONS, regions_of, shapes
from engine.games.rex_romanorum.state import COUNT, FIGHT_ON, MOVE_TO, NOBODY, NOTHING, RAZE, RexState
from engine.games.rex_romanorum.view.pieces import ARMS, castle, church, shield, swords
from engine.games.rex_romanorum.view.text import figures_text
from engine.kit.game_folder import read_json
from engine.picture import group, part, text, titled

_DATA: Final[dict[str, Any]] = read_json(__name__, "geography.json")
WIDTH: Final = 800
HEIGHT: Final = 768
"""Of the map, in units of the picture."""
CELLS: Final[tuple[tuple[int, int, int, int], ...]] = tuple(tuple(_DATA["cells"][region]) for region in REGIONS)
"""Left, top, width and height of the room for each region's name and pieces; no two overlap."""
_ACROSS: Final = ((92, 22), (620, 624), (750, 726), (908, 784))
_DOWN: Final = ((20, 14), (130, 64), (700, 598), (980, 752))
"""Where columns and rows of the board lie on the map; those between lie between them in proportion."""
_LINE_WIDTHS: Final = (40, 27, 16, 6)
"""Of the strokes along the coast whose rims are the lines of water."""
STYLE: Final = (
    ".abroad{fill:#e8e0cb;stroke:#4a6a7c;stroke-width:1.5}.sea{fill:#c9dde6}"
    ".wave{fill:none;stroke-linejoin:round;stroke:#86a9bb}.calm{stroke:#c9dde6}"
    ".hach{fill:none;stroke:#7a6a45;stroke-width:11;stroke-linejoin:bevel;stroke-dasharray:1.4 4;stroke-opacity:.75}"
    ".far{font-family:serif;font-style:italic;font-size:16px;letter-spacing:1px;fill:#7c6e4e;text-anchor:middle;"
    "paint-order:stroke;stroke:#e8e0cb;stroke-width:4px;stroke-opacity:.8}.wet{fill:#456a7d;stroke:#c9dde6}"
    ".land{stroke:#5c4d2e;stroke-width:1.4;stroke-linejoin:round}.hit{fill:#fff;fill-opacity:0;stroke:none}"
    ".frame{fill:none;stroke:#7a6a45;stroke-width:2.5}"
    ".mark{fill:none;stroke:#c00;stroke-width:4.5}.card{fill:none;stroke:#b8860b;stroke-width:5;stroke-dasharray:8 4}"
    ".edge{fill:none;stroke:#222;stroke-width:8;stroke-linejoin:round}.last{stroke:#ffe100;stroke-width:5}"
    ".halo{fill:none;stroke:#fff;stroke-width:9}.way{fill:none;stroke:#111;stroke-width:4.5}"
    ".head{fill:#111;stroke:#fff;stroke-width:1.5}"
    ".n{font-size:15.5px;font-weight:bold;text-anchor:middle}"
    ".n,.f{paint-order:stroke;stroke:#fbf6e8;stroke-width:4px;stroke-linejoin:round;stroke-opacity:.85}"
    ".f{font-size:18px;font-weight:bold}.a{fill:#b00000}"
)
_LONG: Final = 10
"""Letters of a name in one line, if it has two words."""
_FAR_LINE: Final = 18
_WET: Final = ("north_sea", "baltic", "adriatic", "mediterranean")
Points = Sequence[Sequence[int]]
_OUT_OF_PLAY: Final = "#dcd8cc"
_NAME_LETTER: Final = 9.1
_NAME_HEIGHT: Final = 16
_FIGURE: Final = 10.7
"""Width of a sign of the figures."""
_SIGN: Final = 24
_PITCH: Final = 24
"""From a row of pieces to the next."""
_GAP: Final = 3
_VOWELS: Final = "aeiouyäöüéèêàAEIOUÄÖÜÉ"
_FEWEST: Final = 3
"""Letters that an abbreviation keeps."""


def middle_of(region: int) -> tuple[float, float]:
    """Return the middle of a region's cell."""
    left, top, width, height = CELLS[region]
    return left + width / 2, top + height / 2


def _along(value: float, scale: tuple[tuple[int, int], ...]) -> float:
    """Return where a value lies on a scale; beyond its ends the nearest part of the scale goes on."""
    inner = sum(value > start for start, _ in scale[1:-1])
    (start, low), (end, high) = scale[inner], scale[inner + 1]
    return low + (value - start) * (high - low) / (end - start)


def _path(points: Points) -> str:
    """Return the outline of a surface of the board; steps are relative, which is shorter."""
    corners = [tuple(round(along) for along in (_along(x, _ACROSS), _along(y, _DOWN))) for x, y in points]
    steps = (f"{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(corners) if a != b)
    return f"M{corners[0][0]} {corners[0][1]}l{' '.join(steps)}z".replace(" -", "-")


@cache
def ground_defs() -> str:
    """Return what the parts of the map refer to: the outlines of the regions, of the empire and of the lands around."""
    # The lines that only one region has are the outlines of all regions together.
    lines = {
        (tuple(a), tuple(b)) for ring in shapes().values() for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)
    }
    after: dict[Any, list[Any]] = {}
    for a, b in sorted(lines):
        if (b, a) not in lines:
            after.setdefault(a, []).append(b)
    rims: list[Any] = []
    while after:
        rim = [min(after)]
        while rim[-1] in after:
            ends = after[rim[-1]]
            start, end = rim[-1], ends.pop(0)  # the westernmost, where two rims meet
            if not ends:
                del after[start]
            rim.append(end)
        rims.append(rim[:-1])
    regions = (f'<path id="rx-{region}" d="{_path(shapes()[REGIONS[region]])}"/>' for region in range(REGION_COUNT))
    empire = "".join(_path(rim) for rim in rims if len(rim) > 2)
    abroad = "".join(_path(land) for land in _DATA["abroad"])
    return (
        f'<clipPath id="rx-map"><rect x="8" width="{WIDTH - 16}" height="{HEIGHT}"/></clipPath>'
        f'<path id="rx-empire" d="{empire}"/><path id="rx-abroad" d="{abroad}"/>{"".join(regions)}'
    )


def draw_ground(names: Mapping[str, str]) -> str:
    """Return all that no move changes: sea, lands around and their names."""
    waves = "".join(
        f'<use href="#rx-{land}" class="{classes}" stroke-width="{width - less}"/>'
        for width in _LINE_WIDTHS
        for classes, less in (("wave", 0), ("wave calm", 2))
        for land in ("empire", "abroad")
    )
    labels = ""
    for key, x, y in _DATA["labels"]:
        name, classes = names[key], "far wet" if key in _WET else "far"
        *words, last = name.split(" ")
        # The last word of a long name stands below the others; the lines stand around the height.
        lines = [" ".join(words), last] if len(name) > _LONG and words else [name]
        first = y - _FAR_LINE * (len(lines) - 1) / 2
        labels += "".join(text(x, first + _FAR_LINE * place, line, classes) for place, line in enumerate(lines))
    return (
        f'<g clip-path="url(#rx-map)"><rect class="sea" width="{WIDTH}" height="{HEIGHT}"/>{waves}'
        f'<use href="#rx-abroad" class="abroad"/><use href="#rx-empire" class="hach"/></g>{labels}'
    )


@cache
def shape(region: int, classes: str, fill: str = "") -> str:
    """Return the outline of a region; the fill of the class holds if none is given."""
    filled = f' fill="{fill}"' if fill else ""
    return f'<use href="#rx-{region}" class="{classes}"{filled}/>'


def map_parts(state: RexState, view: View, names: Mapping[str, str], top: float) -> Iterator[str]:
    """Yield the ground, all regions, what is marked and what the last move changed, then what stands in the regions."""
    yield part(draw_ground(names), down=top)
    for region in range(REGION_COUNT):
        owner = state.owner[region]
        ground = ARMS[NOBODY] if region in state.options.deck else _OUT_OF_PLAY
        yield part(shape(region, "land", ground if owner == NOBODY else f"url(#p{owner})"), down=top)
    yield part(f'<rect class="frame" x="8" width="{WIDTH - 16}" height="{HEIGHT}"/>', down=top)
    marked = [state.target] if state.phase in (RAZE, FIGHT_ON) else []
    marks = [shape(region, "card") for region in state.drawn]
    marks += [shape(region, "mark") for region in [*marked, *regions_of(state.contested | state.undefended)]]
    yield part("".join(marks), down=top)
    yield part("" if view.last is None else "".join(last_move(view.last)), down=top)
    for region, name in enumerate(REGIONS):
        yield part(content(region, pieces_of(state, region), names[name]), place=name, down=top)


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


@dataclass(frozen=True, slots=True)
class RegionPieces:
    """What is drawn in a region: equal values, equal pictures."""

    owner: int
    church: int
    """The diocese of its church, or NOBODY."""
    castle: bool
    own: str
    """The owner's figures."""
    attackers: str
    attacker: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a row, drawn from its left end around the height 0."""

    width: float
    drawing: str


def pieces_of(state: RexState, region: int) -> RegionPieces:
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
    return _make_pieces(owner, church, bool(state.castles & bit), own, moved, active if any(moved) else NOBODY)


@lru_cache(maxsize=8192)
def _make_pieces(
    owner: int, church: int, castle: bool, own: tuple[int, ...], moved: tuple[int, ...], mover: int
) -> RegionPieces:
    """Return what stands there: figures that have moved into land of their own stand with the others."""
    if owner == mover:
        own, moved, mover = tuple(map(sum, zip(own, moved, strict=True))), (0, 0, 0), NOBODY
    return RegionPieces(owner, church, castle, figures_text(own), figures_text(moved), mover)


@lru_cache(maxsize=8192)
def content(region: int, stands: RegionPieces, name: str) -> str:
    """Return a region's outline, unseen, over all others, then its name and its pieces in rows, within its cell.

    The outline is what is marked where the region may be chosen.
    """
    left, top, width, height = CELLS[region]
    lines = _lines(name, int(width / _NAME_LETTER), height)
    named = _NAME_HEIGHT * len(lines)
    told = titled(name) if lines != [name] else ""
    pieces = []
    if stands.owner != NOBODY or stands.own:
        arms = shield(stands.owner, 12, 0) if stands.owner != NOBODY else ""
        start = _SIGN + 2 if arms else 0
        figures = text(start, 6.5, stands.own, "f") if stands.own else ""
        pieces.append(_Piece(start + _FIGURE * len(stands.own), arms + figures))
    if stands.church != NOBODY:
        pieces.append(_Piece(_SIGN - 4, church(stands.church, 10, 0)))
    if stands.castle:
        pieces.append(_Piece(_SIGN - 4, castle(10, 0)))
    if stands.attackers:
        drawn = swords(9, 0) + shield(stands.attacker, 31, 0) + text(45, 6.5, stands.attackers, "f a")
        pieces.append(_Piece(45 + _FIGURE * len(stands.attackers), drawn))
    scale, rows = _arranged(pieces, width, height - named)
    y = round(top + (height - named - scale * _PITCH * len(rows)) / 2, 1)
    drawn = (
        shape(region, "hit")
        + told
        + "".join(text(left + width / 2, y + 13 + _NAME_HEIGHT * place, line, "n") for place, line in enumerate(lines))
    )
    if not rows:
        return drawn
    scaled = f" scale({scale:.3g})" if scale < 1 else ""
    place = f"translate({left + width / 2:g} {y + named + 1:g}){scaled}"
    shown = ""
    for line, row in enumerate(rows):
        x = -_width(row) / 2
        for piece in row:
            shown += group(round(x, 1), _PITCH * (line + 0.5), piece.drawing)
            x += piece.width + _GAP
    return f'{drawn}<g transform="{place}">{shown}</g>'


def _lines(name: str, letters: int, height: float) -> list[str]:
    """Return the name in a line of at most so many letters, or two, abbreviated if there is no room for the whole."""
    cut = max(name.rfind(" "), name.rfind("-")) + 1
    if len(name) <= letters or not cut or height < 2 * _NAME_HEIGHT + _PITCH:
        return [abbreviated(name, letters)]
    return [abbreviated(name[:cut].rstrip(), letters), abbreviated(name[cut:], letters)]


@cache
def abbreviated(name: str, letters: int) -> str:
    """Return a name in at most so many letters, its end left out before a vowel, with a full stop, if it is longer."""
    if len(name) <= letters:
        return name
    ends = (
        end
        for end in range(letters - 1, _FEWEST - 1, -1)
        if name[end] in _VOWELS and name[end - 1] not in _VOWELS and name[end - 1].isalpha()
    )
    return name[: next(ends, letters - 1)].rstrip(" -") + "."


def _arranged(pieces: list[_Piece], width: float, height: float) -> tuple[float, list[list[_Piece]]]:
    """Return the rows in which the pieces are largest, the fewest of them if several are alike, and their scale."""
    found: tuple[float, list[list[_Piece]]] = (0.0, [])
    for rows in _splits(pieces):
        scale = min(1.0, width / max(map(_width, rows)), height / (_PITCH * len(rows)))
        if scale > found[0]:
            found = (scale, rows)
    return found


def _splits(pieces: list[_Piece]) -> Iterator[list[list[_Piece]]]:
    """Yield all ways to break the pieces into rows, those with fewer rows first."""
    count = len(pieces)
    for breaks in range(count):
        for cuts in combinations(range(1, count), breaks):
            ends = (0, *cuts, count)
            yield [pieces[start:end] for start, end in pairwise(ends)]


def _width(row: list[_Piece]) -> float:
    return sum(piece.width for piece in row) + _GAP * (len(row) - 1)
