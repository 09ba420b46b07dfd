"""The pieces of the picture, each with a shape and a letter beside its colour, and the scene they are drawn for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.games.foreign_king.state import VIRTUAL, ForeignKingState
from engine.games.foreign_king.view.text import letter_of
from engine.picture import group, text, titled

_VIRTUAL_STYLE: Final = 4
FILLS: Final = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#8c8c8c")
"""Of the four seats and of the virtual player: Okabe and Ito's palette, and grey."""
PALE: Final = ("#f7d9bd", "#c5dff0", "#bfe5d5", "#f1d8e5", "#dcdcdc")
_SHAPES: Final = (
    '<circle id="fk-t0" r="18.500"/>',
    '<rect id="fk-t1" x="-17" y="-17" width="34" height="34" rx="4"/>',
    '<path id="fk-t2" d="M0-21L20-7L16 17H-16L-20-7Z"/>',
    '<path id="fk-t3" d="M0-23L23 0L0 23L-23 0Z"/>',
    '<path id="fk-t4" d="M-11-18H11L21 0L11 18H-11L-21 0Z"/>',
)
_HATCHES: Final = ("M0 10L10 0", "M0 5H10", "M5 0V10", "M0 0L10 10", "M0 0L10 10M0 10L10 0")
_PATTERNS: Final = "".join(
    f'<pattern id="fk-p{style}" width="10" height="10" patternUnits="userSpaceOnUse">'
    f'<rect width="10" height="10" fill="{PALE[style]}"/>'
    f'<path d="{hatch}" stroke="{FILLS[style]}" stroke-width="0.900" stroke-opacity="0.600" fill="none"/></pattern>'
    for style, hatch in enumerate(_HATCHES)
)
_FACTORY: Final = '<path id="fk-f" d="M-18 14V-4L-9-11V-4L0-11V-4L7-9V-17H13V-9L18-4V14Z"/>'
_CROWN: Final = (
    '<g id="fk-c"><path d="M-17 13L-20-9L-9 0L0-15L9 0L20-9L17 13Z"/><path d="M-16 8H16" fill="none"/>'
    '<circle cx="-20" cy="-10" r="3"/><circle cy="-16" r="3"/><circle cx="20" cy="-10" r="3"/></g>'
)
DEFS: Final = "".join(_SHAPES) + _PATTERNS + _FACTORY + _CROWN
STYLE: Final = (
    "".join(f".k{style}{{fill:{fill}}}" for style, fill in enumerate(FILLS)) + ".k{stroke:#222;stroke-width:1.5}"
    ".k text{stroke:none;fill:#fff;font-weight:bold;font-size:19px;text-anchor:middle}"
    ".k .i{font-size:15px}.k3 text,.k4 text{fill:#111}.g{fill:#fbf6e8;stroke-dasharray:4 3}.g text{fill:#222}"
    ".m{fill:#44505f}.x{fill:#8a5a2b}.z{fill:#f4ecd8;stroke:#6b5d3f}"
    ".z text{fill:#6b5d3f;paint-order:stroke;stroke:#f4ecd8;stroke-width:5px}"
    ".crown{fill:#ffcf33;stroke:#3d2c00;stroke-width:2;stroke-linejoin:round}"
    ".ring{fill:none;stroke:#222;stroke-width:9;stroke-linejoin:round;stroke-dasharray:none}"
    ".lit{stroke:#ffe100;stroke-width:6}"
)


@dataclass(frozen=True, slots=True)
class Scene:
    """A position as it is looked at."""

    state: ForeignKingState
    before: ForeignKingState
    """The position before the last move; the same as `state` if nothing is to be marked."""
    language: str
    names: Mapping[str, str]
    """The labels of the language."""
    players: Sequence[str] = ()
    """Who plays, seat by seat; empty if nobody is named."""

    def letter(self, colour: int) -> str:
        """Return the sign of a colour: A to D, V for the virtual player."""
        return letter_of(self.state, colour)

    def style(self, colour: int) -> int:
        """Return the number by which shapes, fills and hatchings of a colour are named."""
        return _VIRTUAL_STYLE if self.state.seats == 2 and colour == VIRTUAL else colour

    def player(self, colour: int) -> str:
        """Return the name of who plays a colour, or its seat with its letter."""
        if colour >= self.state.seats:
            return self.names["virtual"]
        named = self.players[colour] if colour < len(self.players) else ""
        return named or f"{self.names['seat']} {self.letter(colour)}"


def ring(shape: str) -> str:
    """Return the glow around a shape that the last move has changed."""
    return f'<use href="#{shape}" class="ring"/><use href="#{shape}" class="ring lit"/>'


def token(
    scene: Scene, colour: int, x: float, y: float, count: object = "", *, lit: bool = False, scale: float = 1
) -> str:
    """Return a piece of a colour: fill, shape and letter, with a count beside the letter."""
    style = scene.style(colour)
    content = f"{scene.letter(colour)}{count}"
    drawn = f'{ring(f"fk-t{style}") if lit else ""}<use href="#fk-t{style}"/>{_inscription(content, style)}'
    return f'<g class="k k{style}" transform="{_placed(x, y, scale)}">{drawn}</g>'


def ghost(scene: Scene, colour: int, x: float, y: float) -> str:
    """Return the empty place of a piece that the last move has taken away."""
    style = scene.style(colour)
    drawn = f'{ring(f"fk-t{style}")}<use href="#fk-t{style}"/>{_inscription(scene.letter(colour) + "0", style)}'
    return f'<g class="k g" transform="{_placed(x, y, 1)}">{drawn}</g>'


def factory(scene: Scene, key: str, x: float, y: float, count: int = 1, *, lit: bool = False) -> str:
    """Return factories of a kind: dark with a capital while they are active, pale and struck out when not."""
    kind = "z" if key.islower() else "m" if key == "M" else "x"
    strike = '<path d="M-16 13L16-9" stroke-width="2"/>' if key.islower() else ""
    content = text(0, 10, key + (str(count) if count > 1 else ""), "i")
    drawn = f'{titled(scene.names[key])}{ring("fk-f") if lit else ""}<use href="#fk-f"/>{strike}{content}'
    return f'<g class="k {kind}" transform="{_placed(x, y, 1)}">{drawn}</g>'


def crown(scene: Scene, x: float, y: float, *, lit: bool = False, scale: float = 1) -> str:
    """Return the King."""
    glow = '<circle r="23" class="ring"/><circle r="23" class="ring lit"/>' if lit else ""
    return group(
        x, y, f'<g class="crown" transform="scale({scale:g})">{glow}<use href="#fk-c"/></g>', title=scene.names["king"]
    )


def _inscription(content: str, style: int) -> str:
    classes = "i" if len(content) > 2 else ""
    return text(0, 6 + (style == 2), content, classes)


def _placed(x: float, y: float, scale: float) -> str:
    return f"translate({x:g} {y:g})" + (f" scale({scale:g})" if scale != 1 else "")
