"""The map's ground: where a point of the board lies, the sea, the lands around, the regions' outlines.

The middle of the board, where regions are small and stand close, is drawn larger than Prussia and Italy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final

from engine.folder import read_json
from engine.games.rex_romanorum.board import REGION_COUNT, REGIONS, shapes
from engine.kit.drawing import text

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
)
_LONG: Final = 10
"""Letters of a name in one line, if it has two words."""
_FAR_LINE: Final = 18
_WET: Final = ("north_sea", "baltic", "adriatic", "mediterranean")

Points = Sequence[Sequence[int]]


def to_picture(x: float, y: float) -> tuple[float, float]:
    """Return where a point of the board lies, in units of the map."""
    return _along(x, _ACROSS), _along(y, _DOWN)


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
    corners = [tuple(round(along) for along in to_picture(x, y)) for x, y in points]
    steps = (f"{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(corners) if a != b)
    return f"M{corners[0][0]} {corners[0][1]}l{' '.join(steps)}z".replace(" -", "-")


def _rims() -> list[list[tuple[int, int]]]:
    """Return the outlines of all regions together: the lines that only one region has."""
    lines = {
        (tuple(a), tuple(b)) for ring in shapes().values() for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)
    }
    after: dict[Any, list[Any]] = {}
    for a, b in sorted(lines):
        if (b, a) not in lines:
            after.setdefault(a, []).append(b)
    found: list[Any] = []
    while after:
        rim = [min(after)]
        while rim[-1] in after:
            ends = after[rim[-1]]
            start, end = rim[-1], ends.pop(0)  # the westernmost, where two rims meet
            if not ends:
                del after[start]
            rim.append(end)
        found.append(rim[:-1])
    return found


@cache
def ground_defs() -> str:
    """Return what the parts of the map refer to: the outlines of the regions, of the empire and of the lands around."""
    regions = (f'<path id="rx-{region}" d="{_path(shapes()[REGIONS[region]])}"/>' for region in range(REGION_COUNT))
    empire = "".join(_path(rim) for rim in _rims() if len(rim) > 2)
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
    labels = "".join(_far(names[name], x, y, "far wet" if name in _WET else "far") for name, x, y in _DATA["labels"])
    return (
        f'<g clip-path="url(#rx-map)"><rect class="sea" width="{WIDTH}" height="{HEIGHT}"/>{waves}'
        f'<use href="#rx-abroad" class="abroad"/><use href="#rx-empire" class="hach"/></g>{labels}'
    )


def _far(name: str, x: int, y: int, classes: str) -> str:
    """Return a name around a height, its last word below the others if it is long."""
    words = name.split(" ")
    lines = [" ".join(words[:-1]), words[-1]] if len(name) > _LONG and len(words) > 1 else [name]
    first = y - _FAR_LINE * (len(lines) - 1) / 2
    return "".join(text(x, first + _FAR_LINE * place, line, classes) for place, line in enumerate(lines))


@cache
def shape(region: int, classes: str, fill: str = "") -> str:
    """Return the outline of a region; the fill of the class holds if none is given."""
    filled = f' fill="{fill}"' if fill else ""
    return f'<use href="#rx-{region}" class="{classes}"{filled}/>'
