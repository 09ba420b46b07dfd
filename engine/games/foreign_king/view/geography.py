"""The map: sea, neighbours and rivers; provinces hatched by who has the majority; what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final

from engine.games.foreign_king.board import CELLS, OUTLINES, PORTRAIT, PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.scoring import NOBODY, majority
from engine.games.foreign_king.state import FACTORIES, KING_LEN, MOVE_TO, PLACE_N, VIRT_TO
from engine.games.foreign_king.view.pieces import Scene, crown, factory, ghost, token
from engine.kit.game_folder import read_json
from engine.picture import group, text

_DATA: Final[dict[str, Any]] = read_json(__name__, "geography.json")
WIDTH: Final = 800
HEIGHT: Final = 624
"""Of the map, in units of the board's file."""

Points = Sequence[Sequence[int]]
Rows = list[tuple[int, list[str]]]
"""The height of each row, and templates of x and y for the pieces in it."""


def _path(points: Points, end: str = "") -> str:
    """Return the drawing of a line; steps are relative, which is shorter."""
    (x, y), *_ = points
    steps = (f"{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(points))
    return f"M{x} {y}l{' '.join(steps)}{end}".replace(" -", "-")


_SEA: Final = _path(_DATA["sea"], "z")
_COASTS: Final = "".join(_path(line) for line in _DATA["coasts"])
_LINE_WIDTHS: Final = (58, 42, 28, 16, 6)
"""Of the strokes along the coast whose rims are the lines of water."""
DEFS: Final = (
    f'<clipPath id="fk-sea"><path d="{_SEA}"/></clipPath>'
    f'<clipPath id="fk-map"><rect x="8" width="{WIDTH - 16}" height="{HEIGHT}"/></clipPath>'
    + "".join(
        f'<path id="fk-{name}" d="{_path(outline, "z")}"/>' for name, outline in zip(PROVINCES, OUTLINES, strict=True)
    )
)
STYLE: Final = (
    ".abroad{fill:#e8e0cb}.sea{fill:#c9dde6}.wave{fill:none;stroke-linejoin:round;stroke:#86a9bb}.calm{stroke:#c9dde6}"
    ".coast{fill:none;stroke:#4a6a7c;stroke-width:1.5}.river{fill:none;stroke:#6d9ab3;stroke-width:2.4;stroke-linejoin:round}"
    ".front{fill:none;stroke:#a3946f;stroke-width:1.5;stroke-dasharray:7 4}"
    ".hach{fill:none;stroke:#7a6a45;stroke-width:13;stroke-linejoin:bevel;stroke-dasharray:1.4 4;stroke-opacity:.75}"
    ".far{font-family:serif;font-style:italic;font-size:17px;letter-spacing:3px;fill:#8a7c5c;text-anchor:middle}"
    ".wet{fill:#54788b;paint-order:stroke;stroke:#c9dde6;stroke-width:5px}.land{stroke:#5c4d2e;stroke-width:1.6;stroke-linejoin:round}"
    ".n{font-size:17px;font-weight:bold;text-anchor:middle;paint-order:stroke;stroke:#fbf6e8;stroke-width:4px;"
    "stroke-linejoin:round;stroke-opacity:.85}"
    ".hit{fill:#fff;fill-opacity:0;stroke:none}.edge{fill:none;stroke:#222;stroke-width:8;stroke-linejoin:round}.glow{stroke:#ffe100;stroke-width:5}"
    ".walk{fill:none;stroke:#3d2c00;stroke-width:3;stroke-dasharray:2 7;stroke-linecap:round}"
)

_PROVINCE_PHASES: Final = (PLACE_N, KING_LEN, MOVE_TO, VIRT_TO)
_NOBODYS: Final = "#f6eeda"
_PITCH: Final = 43
"""From piece to piece."""
_LOW_PITCH: Final = 36
"""From a row of factories to the next row."""
_MOST_COLUMNS: Final = 5
_NAME_SIZE: Final = 18
_NAME_LETTER: Final = 9.6


_WAVES: Final = "".join(
    f'<path d="{_COASTS}" class="wave" stroke-width="{width}"/>'
    f'<path d="{_COASTS}" class="wave calm" stroke-width="{width - 2}"/>'
    for width in _LINE_WIDTHS
)
_FRONTIERS: Final = "".join(_path(line) for line in _DATA["frontiers"])
_COUNTRY: Final = _path(_DATA["country"], "z")
_RIVERS: Final = "".join(_path(line) for line in _DATA["rivers"])


def draw_surroundings(scene: Scene) -> str:
    """Return all that no move changes."""
    labels = ""
    for name, x, y, turn in _DATA["labels"]:
        turned = f' transform="rotate({turn} {x} {y})"' if turn else ""
        labels += f"<g{turned}>{text(x, y, scene.names[name], 'far wet' if name == 'north_sea' else 'far')}</g>"
    return (
        f'<g clip-path="url(#fk-map)"><rect class="abroad" width="{WIDTH}" height="{HEIGHT}"/>'
        f'<path d="{_SEA}" class="sea"/><g clip-path="url(#fk-sea)">{_WAVES}</g><path d="{_COASTS}" class="coast"/>'
        f'<path d="{_FRONTIERS}" class="front"/><path d="{_COUNTRY}" class="hach"/></g>{labels}'
    )


def draw_rivers() -> str:
    """Return the rivers, which lie over the hatching of the provinces."""
    return f'<g clip-path="url(#fk-map)"><path d="{_RIVERS}" class="river"/></g>'


def draw_land(scene: Scene, province: int) -> str:
    """Return a province, hatched for the colour that has the majority there."""
    holder = majority(scene.state, province)
    fill = _NOBODYS if holder == NOBODY else f"url(#fk-p{scene.style(holder)})"
    return f'<use href="#fk-{PROVINCES[province]}" class="land" fill="{fill}"/>'


def draw_changed(scene: Scene) -> str:
    """Return a glow along the borders of the provinces that the last move changed, and the King's walk."""
    old, new, changed = scene.before, scene.state, []
    # Besides what stands elsewhere now, the province that was named as that from which or to which something goes next.
    chosen = new.province if old is not new and new.phase in _PROVINCE_PHASES else -1
    for index, name in enumerate(PROVINCES):
        discs_differ = old.discs[index::PROVINCE_COUNT] != new.discs[index::PROVINCE_COUNT]
        has_king = old.king != new.king and new.king == index
        if discs_differ or old.factories[index] != new.factories[index] or has_king or chosen == index:
            changed.append(name)
    glows = (f'<use href="#fk-{name}" class="{classes}"/>' for classes in ("edge", "edge glow") for name in changed)
    if PORTRAIT in (old.king, new.king) or old.king == new.king:
        return "".join(glows)
    (x1, y1), (x2, y2) = _middle(old.king), _middle(new.king)
    return f'{"".join(glows)}<path class="walk" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def _middle(province: int) -> tuple[float, float]:
    left, top, width, _ = CELLS[province]
    return left + width / 2, top + 45


def draw_content(scene: Scene, province: int) -> str:
    """Return the name and, below it within the province's cell, King, discs and factories in rows.

    Before them comes the outline, unseen, over all provinces: what is marked where the province may be chosen.
    """
    left, top, width, height = CELLS[province]
    middle = left + width / 2
    lines = _lines(scene.names[PROVINCES[province]], width)
    name = f'<use href="#fk-{PROVINCES[province]}" class="hit"/>' + "".join(
        text(middle, top + 15 + _NAME_SIZE * row, line, "n") for row, line in enumerate(lines)
    )
    used = _NAME_SIZE * len(lines) + 4
    scale, rows = _arranged(scene, province, width, height - used)
    if not rows:
        return name
    scaled = f" scale({scale:.3g})" if scale < 1 else ""
    shown, y = "", 0.0
    for pitch, row in rows:
        start = -_PITCH * (len(row) - 1) / 2
        shown += "".join(piece.format(start + _PITCH * place, y + pitch / 2) for place, piece in enumerate(row))
        y += pitch
    return f'{name}<g transform="translate({middle:g} {top + used:g}){scaled}">{shown}</g>'


def _arranged(scene: Scene, province: int, width: float, height: float) -> tuple[float, Rows]:
    """Return the rows in which the pieces are largest, the fewest of them if several are alike, and their scale."""
    counts = scene.state.discs[province::PROVINCE_COUNT]
    before = scene.before.discs[province::PROVINCE_COUNT]
    pieces = [
        _movable(token(scene, colour, 0, 0, now, lit=now != then) if now else ghost(scene, colour, 0, 0))
        for colour, (now, then) in enumerate(zip(counts, before, strict=True))
        if now or then
    ]
    if scene.state.king == province:
        pieces.insert(0, _movable(crown(scene, 0, 0, lit=scene.before.king != province, scale=0.9)))
    standing = FACTORIES.counts(scene.state.factories[province])
    stood = FACTORIES.counts(scene.before.factories[province])
    factories = [
        _movable(factory(scene, key, 0, 0, count, lit=count > stood[key])) for key, count in standing.items() if count
    ]
    found: tuple[float, Rows] = (0.0, [])
    for columns in range(_MOST_COLUMNS, 0, -1):
        rows = [(_PITCH, row) for row in _split(pieces, columns)]
        rows += [(_LOW_PITCH, row) for row in _split(factories, columns)]
        widest = _PITCH * max((len(row) for _, row in rows), default=1)
        scale = min(1.0, width / widest, height / max(1, sum(pitch for pitch, _ in rows)))
        if scale > found[0]:
            found = (scale, rows)
    return found


@cache
def _lines(name: str, width: int) -> list[str]:
    """Return the name in one line, or in two if there is no room and it has two words."""
    if len(name) * _NAME_LETTER <= width:
        return [name]
    for separator in (" ", "-"):
        first, found, second = name.partition(separator)
        if found:
            return [first + found.strip(), second]
    return [name]


def _split(pieces: list[str], columns: int) -> list[list[str]]:
    """Return the pieces in rows as even as can be, none longer than `columns`."""
    count = -(-len(pieces) // columns)
    longest = -(-len(pieces) // max(1, count))
    return [pieces[start : start + longest] for start in range(0, len(pieces), max(1, longest))]


def _movable(drawing: str) -> str:
    return f'<g transform="translate({{:g}} {{:g}})">{drawing}</g>'


def draw_portrait(scene: Scene) -> str:
    """Return the portrait with the King, as long as he stands there."""
    if scene.state.king != PORTRAIT:
        return ""
    frame = '<rect x="-30" y="-30" width="60" height="60" rx="30" class="box"/>'
    return group(46, 38, frame + crown(scene, 0, 2, scale=0.9) + text(0, 46, scene.names["portrait"], "c l"))
