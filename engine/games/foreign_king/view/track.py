"""The score track: a lane for each colour, and the King's marker that comes to meet them."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.state import FIRST_MARKER, colour_count
from engine.games.foreign_king.view.pieces import FILLS, PALE, token
from engine.games.foreign_king.view.scene import Scene
from engine.kit.drawing import group, text

HEIGHT: Final = 118
_LEFT: Final = 26
_STEP: Final = 24.4
_NUMBERS: Final = 28
"""Height of the row of numbers."""
_LANES: Final = HEIGHT - _NUMBERS
STYLE: Final = (
    ".lane{fill:#f4ecd8;stroke:#cbbd98}.fifth{stroke:#b8a97f;stroke-width:1}.done{fill:#7a6a45;fill-opacity:.22}"
    ".meet{stroke:#3d2c00;stroke-width:3}.flag{fill:#ffcf33;stroke:#3d2c00;stroke-width:1.5}.gain{fill:#ffe100;stroke:#222}"
)


def _at(value: int) -> float:
    """Return how far to the right a number of the track lies; all beyond its end lie on the end."""
    return _LEFT + _STEP * (0.5 + min(value, FIRST_MARKER))


def draw_track(scene: Scene) -> str:
    """Return the lanes, numbered, and what the marker has passed; nothing in it but the marker changes."""
    width = _STEP * (FIRST_MARKER + 1)
    marker = scene.state.marker
    lines = "".join(
        f'<path class="fifth" d="M{_at(value):g} {_NUMBERS}v{_LANES}"/>' for value in range(0, FIRST_MARKER + 1, 5)
    )
    numbers = "".join(
        text(_at(value), 20, value, "c s") for value in range(0, FIRST_MARKER + 1, 5) if abs(value - marker) > 2
    )
    passed = _at(FIRST_MARKER) + _STEP / 2 - _at(marker)
    return (
        f'<rect class="lane" x="{_LEFT}" y="{_NUMBERS}" width="{width:g}" height="{_LANES}"/>{lines}{numbers}'
        f'<rect class="done" x="{_at(marker):g}" y="{_NUMBERS}" width="{passed:g}" height="{_LANES}"/>'
        f"{_marker(scene)}"
    )


def _marker(scene: Scene) -> str:
    """Return the line that ends the game when the second of the scores reaches it, with its flag."""
    x = _at(scene.state.marker)
    lit = ' stroke="#ffe100" stroke-width="6"' if scene.state.marker != scene.before.marker else ""
    glow = f'<rect x="-27" y="1" width="54" height="26" rx="6" fill="none"{lit}/>' if lit else ""
    crown = '<use href="#fk-c" class="crown" transform="translate(-13 14) scale(.5)"/>'
    flag = f'{glow}<rect class="flag" x="-27" y="1" width="54" height="26" rx="6"/>{crown}'
    line = f'<path class="meet" d="M0 27V{HEIGHT}"/>'
    title = f"{scene.names['marker']} {scene.state.marker}"
    return group(x, 0, f"{line}{flag}{text(12, 20, scene.state.marker, 'c s b')}", title=title)


def draw_lane(scene: Scene, colour: int) -> str:
    """Return the score of a colour as a bar with its piece, its number beside it; a gain of the last move glows."""
    if colour >= colour_count(scene.state):
        return ""
    height = _LANES / colour_count(scene.state)
    score, before = scene.state.scores[colour], scene.before.scores[colour]
    style = scene.style(colour)
    start, end = _LEFT, _at(score)
    bar = (
        f'<rect x="{start}" y="{height * 0.22:.1f}" width="{end - start:g}" height="{height * 0.56:.1f}" rx="3"'
        f' fill="{PALE[style]}" stroke="{FILLS[style]}"/>'
    )
    if score > before:
        gained = f'y="{height * 0.22:.1f}" width="{end - _at(before):g}" height="{height * 0.56:.1f}"'
        bar += f'<rect class="gain" x="{_at(before):g}" {gained}/>'
    scale = min(height / 41, 0.75)
    piece = token(scene, colour, end, height / 2, lit=score > before, scale=scale)
    beside = 24 * scale + 3
    number = (end - beside, "r b") if score > FIRST_MARKER - 3 else (end + beside, "b")
    shown = text(number[0], height / 2 + 6, score, f"{number[1]} o")
    return group(0, _NUMBERS + height * colour, bar + piece + shown)
