"""Pictures in parts, as games draw them and as they are written. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


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
