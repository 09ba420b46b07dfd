"""What lies around the map: action table, Congress, supply, order track, legend."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.state import END, SUPPLY, spaces_of
from engine.games.foreign_king.view.pieces import FILLS, factory, ghost, ring, token
from engine.games.foreign_king.view.scene import Scene
from engine.kit.drawing import box, group, text, wrapped

_SPACE_WIDTH: Final = 164
_SPACE_HEIGHT: Final = 50
_SPACE_PITCH: Final = 54
_SPACES_LEFT: Final = 14
_SPACES_BOTTOM: Final = 620
_LABEL_LETTER: Final = 8.8
_SUPPLY_LEFT: Final = 704
_ORDER_PITCH: Final = 38
_LEGEND_SIGN: Final = 57
_LEGEND_LETTER: Final = 8.2
STYLE: Final = (
    "".join(f".e{seat}{{stroke:{fill}}}" for seat, fill in enumerate(FILLS[:4]))
    + ".box{fill:#fbf6e8;stroke:#7a6a45;stroke-width:1.3}.taken{fill:#fff;stroke-width:3}"
    ".new{stroke:#222;stroke-width:9}"
    ".newer{fill:#fff8cf;stroke:#ffe100;stroke-width:6}.icon{fill:none;stroke:#7a6a45;stroke-width:2.2;"
    "stroke-linejoin:round;stroke-linecap:round}.icon .full{fill:#7a6a45;stroke:none}"
)
_ICONS: Final = (
    '<path d="M-13 11V-2L-6-8V-2L1-8V-2L6-6V-13H10V-6L13-2V11Z"/>',
    '<circle r="5" cy="-7"/><path d="M-9 12C-9-2 9-2 9 12Z"/>',
    '<path d="M-13 0H12M5-7L13 0L5 7M-13-9V9"/>',
    '<path d="M-13-4L0-12L13-4ZM-10 12V-1M-3 12V-1M3 12V-1M10 12V-1M-14 12H14"/>',
    '<circle r="8" cx="-4" cy="3"/><path d="M2-7A8 8 0 1 1 5 8M-4-1V7"/>',
    '<path d="M-12 9L-14-7L-6 0L0-10L6 0L14-7L12 9Z"/>',
    '<path d="M-10 11L-13-4L-5 2L0-7L5 2L13-4L10 11ZM0-13V-9M-2-11H2"/>',
    '<path d="M-9 10V-11M-14-5L-9-11L-4-5M9-11V10M4 4L9 10L14 4"/>',
)


def draw_space(scene: Scene, space: int) -> str:
    """Return a space of the action table with the pawn on it, or nothing if this number of seats does not have it."""
    exists = spaces_of(scene.state.seats)
    if not exists >> space & 1:
        return ""
    place = (exists & ((1 << space) - 1)).bit_count()
    label = wrapped(
        54, _SPACE_HEIGHT / 2 + 1, scene.names[ACTIONS.names[space]], 108, "a", letter=_LABEL_LETTER, line=17
    )
    x = _SPACES_LEFT + (_SPACE_WIDTH + 4) * (place % 2)
    rows = exists.bit_count() // 2 + exists.bit_count() % 2
    y = _SPACES_BOTTOM - _SPACE_PITCH * (rows - place // 2)
    return _space_frame(scene, space, x, y) + group(x, y, _pawn_on(scene, space) + label)


def _space_frame(scene: Scene, space: int, x: float, y: float) -> str:
    """Return the frame of a space: in the colour of the pawn on it, or aglow if the pawn has just come."""
    seat = _seat_on(scene, space)
    if seat is None:
        return box(x, y, _SPACE_WIDTH, _SPACE_HEIGHT)
    if scene.before.pawns[seat] != space:
        return "".join(box(x, y, _SPACE_WIDTH, _SPACE_HEIGHT, classes) for classes in ("new", "newer"))
    return box(x, y, _SPACE_WIDTH, _SPACE_HEIGHT, f"taken e{seat}")


def _seat_on(scene: Scene, space: int) -> int | None:
    return scene.state.pawns.index(space) if space in scene.state.pawns else None


def _pawn_on(scene: Scene, space: int) -> str:
    """Return the pawn that stands on a space, or the sign of the space."""
    seat = _seat_on(scene, space)
    if seat is None:
        return f'<g class="icon" transform="translate(27 {_SPACE_HEIGHT / 2:g})">{_ICONS[space]}</g>'
    return token(scene, seat, 27, _SPACE_HEIGHT / 2, lit=scene.before.pawns[seat] != space, scale=0.95)


def draw_congress(scene: Scene) -> str:
    """Return the Congress with the discs in it."""
    height = 30 + 46 * ((scene.state.seats + 1) // 2)
    parts = [box(0, 0, 128, height), text(64, 22, scene.names["congress"], "c b s")]
    for seat in range(scene.state.seats):
        now, then = scene.state.congress[seat], scene.before.congress[seat]
        x, y = 38 + 52 * (seat % 2), 50 + 46 * (seat // 2)
        gone = ghost(scene, seat, x, y) if then else _empty(x, y)
        parts.append(token(scene, seat, x, y, now, lit=now != then) if now else gone)
    return group(356, 618 - height, "".join(parts))


def _empty(x: float, y: float) -> str:
    return f'<circle class="icon" cx="{x:g}" cy="{y:g}" r="15" stroke-dasharray="2 5"/>'


def draw_supply(scene: Scene) -> str:
    """Return the place of the factories that are not yet built."""
    return box(_SUPPLY_LEFT, 8, 82, 110) + text(_SUPPLY_LEFT + 41, 28, scene.names["supply_short"], "c b s")


def draw_supplied(scene: Scene, kind: str) -> str:
    """Return the factories of a kind that are not yet built."""
    now, then = (SUPPLY.counts(state.supply)[kind] for state in (scene.state, scene.before))
    y = 54 + 40 * "MT".index(kind)
    number = text(_SUPPLY_LEFT + 46, y + 9, f"\N{MULTIPLICATION SIGN}{now}", "b")
    return factory(scene, kind, _SUPPLY_LEFT + 24, y, lit=now != then) + number


def draw_order(scene: Scene) -> str:
    """Return round and order track, right-aligned, with a dashed ring around each seat that claimed a change."""
    state, names = scene.state, scene.names
    told = names["finished"] if state.phase == END else f"{names['round']} {state.round} · {names['order']}"
    parts = [text(-_ORDER_PITCH * state.seats - 8, 6, told, "r h f")]
    for place, seat in enumerate(state.order):
        x = _ORDER_PITCH * (place - state.seats + 0.5)
        if seat in state.claims:
            parts.append(f'<circle cx="{x:g}" r="20" fill="none" stroke="#222" stroke-dasharray="4 3"/>')
        parts.append(token(scene, seat, x, 0, lit=scene.before.order[place] != seat, scale=0.78))
    return group(788, 25, "".join(parts))


def draw_legend(scene: Scene) -> str:
    """Return what the signs mean, in one line."""
    names, points = scene.names, scene.names["score"]
    hatched = '<rect x="-17" y="-13" width="34" height="26" rx="3" fill="url(#fk-p0)" stroke="#5c4d2e"/>'
    glow = f'<g transform="scale(.7)" class="k g">{ring("fk-t0")}<use href="#fk-t0"/></g>'
    entries = (
        (factory(scene, "M", 0, 0), f"{names['metal']} (6 {points})"),
        (factory(scene, "T", 0, 0), f"{names['textile']} (3 {points})"),
        (factory(scene, "m", 0, 0), names["closed"]),
        (hatched, names["majority"]),
        (glow, names["last_move"]),
    )
    shown, x = "", 34.0
    for sign, words in entries:
        shown += group(x, 22, sign + text(25, 5, words, "l"))
        x += _LEGEND_SIGN + _LEGEND_LETTER * len(words)
    return shown
