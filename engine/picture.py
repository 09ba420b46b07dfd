"""Pictures in parts, as games draw them and as they are written, and what the parts are made of. No I/O.

Texts are escaped here, and numbers are written short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Final

_LINE_HEIGHT: Final = 12


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in parts, so that of two successive positions only what changed need be drawn again.

    The parts are drawn one over the other in their order, each an element of its own that needs no other. A part that
    stands for a place of the board tells its id, as actions write it, in `data-place`. Nothing has a style attribute:
    pages that allow none show the parts with `style` as a sheet.
    """

    width: int
    height: int
    title: str
    """The picture in words, for those who cannot see it."""
    style: str
    """Rules of CSS for the classes of the parts; the same for every position."""
    defs: str
    """What the parts refer to; the same for every position."""
    parts: tuple[str, ...]
    """As many for every position of a match, empty groups among them, as far as the game can tell."""

    def svg(self) -> str:
        """Return a standalone document on white."""
        definitions = f"<defs>{self.defs}</defs>" if self.defs else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img">'
            f"<title>{escape(self.title)}</title><style>{self.style}</style>{definitions}"
            f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>{"".join(self.parts)}</svg>\n'
        )


def part(content: str, *, place: str = "", classes: str = "", down: float = 0) -> str:
    """Return a part of a picture, moved `down`; `place` is the id of the place of the board that it stands for.

    Where a place may be chosen, pages mark the outline of the part's first element.
    """
    where = f' data-place="{escape(place)}"' if place else ""
    kind = f' class="{classes}"' if classes else ""
    moved = f' transform="translate(0 {down:g})"' if down else ""
    return f"<g{where}{kind}{moved}>{content}</g>"


def filled(drawings: Sequence[str], count: int) -> list[str]:
    """Return so many drawings, empty ones behind those that there are, so that what follows keeps its place."""
    return [*drawings, *[""] * (count - len(drawings))]


def text(x: float, y: float, content: object, classes: str = "", *, widest: float = 0, letter: float = 6.6) -> str:
    """Return a text; with `widest` it is squeezed into so many units if letters `letter` wide would not fit."""
    kind = f' class="{classes}"' if classes else ""
    is_longer = 0 < widest < letter * len(str(content))
    squeezed = f' textLength="{widest:g}" lengthAdjust="spacingAndGlyphs"' if is_longer else ""
    return f'<text x="{x:g}" y="{y:g}"{kind}{squeezed}>{escape(str(content))}</text>'


def clipped(content: str, letters: int) -> str:
    """Return a text, its end replaced by an ellipsis if it has more letters than that."""
    return content if len(content) <= letters else content[: letters - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def wrapped(
    x: float,
    middle: float,
    content: str,
    widest: float,
    classes: str,
    *,
    letter: float = 6.2,
    line: float = _LINE_HEIGHT,
) -> str:
    """Return a text of several lines around the height `middle`, none wider than `widest` units.

    It is one text, so that whoever reads it aloud or copies it gets it whole; not every renderer squeezes a line.
    """
    lines = wrap(content, int(widest / letter), break_long_words=False)
    first = middle + line / 3 - line * (len(lines) - 1) / 2
    spans = (
        f'<tspan x="{x:g}" y="{first + line * place:g}">{escape(words)}</tspan>' for place, words in enumerate(lines)
    )
    return f'<text class="{classes}">{" ".join(spans)}</text>'


def box(x: float, y: float, width: float, height: float, classes: str = "box") -> str:
    """Return a rectangle with round corners."""
    return f'<rect class="{classes}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>'


def group(x: float, y: float, content: str, *, title: str = "") -> str:
    """Return what is drawn around (0, 0), moved to a place; `title` is shown where the pointer rests."""
    return f'<g transform="translate({x:g} {y:g})">{titled(title)}{content}</g>'


def titled(title: str) -> str:
    """Return the title of a part, or nothing."""
    return f"<title>{escape(title)}</title>" if title else ""
