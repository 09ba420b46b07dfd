"""The position as a picture: a standalone SVG of 1000 by 1000. Every colour also has a shape and a letter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.abilities import View
from engine.games.foreign_king.actions import ACTIONS, SPACE_COUNT
from engine.games.foreign_king.board import (
    CENTRES,
    OUTLINES,
    PORTRAIT,
    PORTRAIT_PLACE,
    PROVINCE_COUNT,
    PROVINCES,
)
from engine.games.foreign_king.state import FACTORIES, VIRTUAL, ForeignKingState, colour_count, spaces_of
from engine.games.foreign_king.view.labels import labels
from engine.games.foreign_king.view.text import king_place, letter_of, status
from engine.kit.drawing import box, group, part, polygon, text, titled, wrapped
from engine.picture import Picture

_FILLS: Final = ("#d55e00", "#0072b2", "#009e73", "#cc79a7")
_VIRTUAL_FILL: Final = "#999999"
_SHAPES: Final = (
    '<circle r="14"',
    '<rect x="-13" y="-13" width="26" height="26"',
    '<path d="M0 -17 L16 12 L-16 12 Z"',
    '<path d="M0 -17 L17 0 L0 17 L-17 0 Z"',
)
_VIRTUAL_SHAPE: Final = '<path d="M-8 -15 L8 -15 L16 0 L8 15 L-8 15 L-16 0 Z"'
_STYLE: Final = (
    "text{font-family:sans-serif;font-size:15px;fill:#222}"
    ".c{text-anchor:middle}.s{font-size:12px}.l{font-size:11px}.t{font-size:10px}.b{font-weight:bold}.w{fill:#fff;font-weight:bold}"
    ".land{fill:#f2ead3;stroke:#7a6a45;stroke-width:2}.royal{stroke:#b8860b;stroke-width:6}"
    ".box{fill:#fbf8ef;stroke:#7a6a45}"
)
_TRACK_END: Final = 30


def draw(state: ForeignKingState, view: View) -> Picture:
    """Return the whole position as a picture."""
    names = labels(view.language)
    parts = (
        part(_heading(state, names)),
        part(_score_track(state, names)),
        *(part(_land(index, "land"), place=name) for index, name in enumerate(PROVINCES)),
        part("" if state.king == PORTRAIT else _land(state.king, "land royal")),
        *(part(_province(state, index, names), place=name) for index, name in enumerate(PROVINCES)),
        part(_king(state, names)),
        *(part(_space(state, space, names), place=ACTIONS.names[space]) for space in range(SPACE_COUNT)),
        part(_congress(state, names)),
        part(_supply(state, names)),
        part(_order(state, names)),
        part(_holdings(state, names)),
    )
    title = f"{names['title']} · {status(state, names)} · {names['king']}: {king_place(state, names)}"
    return Picture(1000, 1000, title, _STYLE, "", parts)


def token(state: ForeignKingState, colour: int, x: float, y: float, count: str = "") -> str:
    """Return a piece of a colour: fill, shape and letter, with a count beside the letter."""
    virtual = state.seats == 2 and colour == VIRTUAL
    shape = _VIRTUAL_SHAPE if virtual else _SHAPES[colour]
    fill = _VIRTUAL_FILL if virtual else _FILLS[colour]
    letters = text(0, 5, letter_of(state, colour) + count, "c w s")
    return group(x, y, f'{shape} fill="{fill}" stroke="#222"/>{letters}')


def _heading(state: ForeignKingState, names: Mapping[str, str]) -> str:
    return text(12, 24, names["title"], "b") + text(170, 24, status(state, names))


def _score_track(state: ForeignKingState, names: Mapping[str, str]) -> str:
    """Draw 0 to 30, the marker above; a score past the end stands on the last space, its number in the table."""
    parts = []
    for value in range(_TRACK_END + 1):
        x = 12 + 31.5 * value
        parts.append(f'<rect class="box" x="{x:g}" y="50" width="31.5" height="36"/>')
        parts.append(text(x + 2, 61, value, "t"))
    x = 28 + 31.5 * state.marker
    marker = f'<path d="M{x:g} 50 l-9 -14 h18 Z" fill="#fff" stroke="#b8860b" stroke-width="2"/>'
    parts.append(f"<g>{titled(names['marker'] + f' {state.marker}')}{marker}</g>")
    for colour, score in enumerate(state.scores):
        x = 20 + 31.5 * min(score, _TRACK_END) + 15 * (colour % 2)
        y = 68 + 11 * (colour // 2)
        parts.append(f'<g transform="translate({x:g} {y}) scale(0.45)">{token(state, colour, 0, 0)}</g>')
    return "".join(parts)


def _land(index: int, classes: str) -> str:
    return polygon(" ".join(f"{x},{y}" for x, y in OUTLINES[index]), classes)


def _province(state: ForeignKingState, index: int, names: Mapping[str, str]) -> str:
    """Draw name, discs and factories of a province; the lands lie below all of them."""
    x, y = CENTRES[index]
    counts = state.discs[index::PROVINCE_COUNT]
    present = [colour for colour, count in enumerate(counts) if count]
    left = x - 18 * (len(present) - 1)
    tokens = (token(state, colour, left + 36 * place, y, str(counts[colour])) for place, colour in enumerate(present))
    return (
        f"<g>{text(x, y - 24, names[PROVINCES[index]], 'c b s')}"
        f"{''.join(tokens)}{_factories(state.factories[index], x, y + 20, names)}</g>"
    )


def _factories(packed: int, x: float, y: float, names: Mapping[str, str]) -> str:
    """Draw a box for each factory: dark with a capital while it is active, light, struck out and small when not."""
    keys = [key for key, count in FACTORIES.counts(packed).items() for _ in range(count)]
    width = min(24.0, 130.0 / max(1, len(keys)))
    left = x - width * len(keys) / 2
    return "".join(_factory(key, left + width * place, y, names) for place, key in enumerate(keys))


def _factory(key: str, x: float, y: float, names: Mapping[str, str]) -> str:
    active = key.isupper()
    fill = ("#555555" if key == "M" else "#8a6d3b") if active else "#eeeeee"
    strike = "" if active else f'<path d="M{x:g} {y + 18:g} l20 -18" stroke="#222"/>'
    return (
        f"<g>{titled(names[key])}"
        f'<rect x="{x:g}" y="{y:g}" width="20" height="18" fill="{fill}" stroke="#222"/>{strike}'
        f"{text(x + 10, y + 14, key, 'c w s' if active else 'c s')}</g>"
    )


def _king(state: ForeignKingState, names: Mapping[str, str]) -> str:
    px, py = PORTRAIT_PLACE
    frame = box(px - 60, py - 50, 120, 90) + text(px, py + 32, names["portrait"], "c s")
    x, y = (px, py) if state.king == PORTRAIT else (CENTRES[state.king][0], CENTRES[state.king][1] - 46)
    crown = '<path d="M-18 10 L-20 -10 L-9 0 L0 -14 L9 0 L20 -10 L18 10 Z" fill="#ffd700" stroke="#222"/>'
    return frame + group(x, y, crown, title=names["king"])


def _space(state: ForeignKingState, space: int, names: Mapping[str, str]) -> str:
    """Draw a space of the action table with the pawn on it, or nothing if this number of seats does not have it."""
    if not spaces_of(state.seats) >> space & 1:
        return ""
    y = 100 + 34 * space
    drawn = box(864, y, 132, 32) + wrapped(900, y + 16, names[ACTIONS.names[space]], 94, "l")
    return drawn + (token(state, state.pawns.index(space), 881, y + 17) if space in state.pawns else "")


def _congress(state: ForeignKingState, names: Mapping[str, str]) -> str:
    parts = [box(12, 440, 140, 100), text(82, 460, names["congress"], "c b s")]
    present = [seat for seat in range(state.seats) if state.congress[seat]]
    for place, seat in enumerate(present):
        parts.append(token(state, seat, 50 + 62 * (place % 2), 484 + 34 * (place // 2), str(state.congress[seat])))
    return "".join(parts)


def _supply(state: ForeignKingState, names: Mapping[str, str]) -> str:
    metal = _factories(state.supply & 7, 290, 640, names)
    textile = _factories(state.supply >> 3 << 3, 290, 666, names)
    return box(200, 610, 180, 84) + text(290, 630, names["supply"], "c b s") + metal + textile


def _order(state: ForeignKingState, names: Mapping[str, str]) -> str:
    """Draw the order track, with a dashed ring around each seat that claimed a change."""
    parts = [box(600, 930, 390, 56), text(612, 963, names["order"], "b s")]
    for place, seat in enumerate(state.order):
        x = 750 + 58 * place
        if seat in state.claims:
            parts.append(f'<circle cx="{x}" cy="958" r="23" fill="none" stroke="#222" stroke-dasharray="4 3"/>')
        parts.append(token(state, seat, x, 958))
    return "".join(parts)


def _owner(state: ForeignKingState, colour: int, y: float, names: Mapping[str, str]) -> str:
    if colour >= state.seats:
        return wrapped(66, y, names["virtual"], 80, "l")
    return text(66, y + 5, f"{names['seat']} {colour}", "b" if colour == state.decider else "")


def _holdings(state: ForeignKingState, names: Mapping[str, str]) -> str:
    """Draw a line for each colour: what it owns."""
    columns = (
        ("score", list(state.scores)),
        ("francs", list(state.francs)),
        ("hand", list(state.hand)),
        ("congress", state.congress[: state.seats]),
        ("medals", state.medals),
        ("loans", list(state.loans)),
    )
    parts = [box(12, 740, 574, 246)]
    for place, (word, _) in enumerate(columns):
        parts.append(text(160 + 76 * place, 766, names[word], "c b s"))
    for colour in range(colour_count(state)):
        y = 800 + 48 * colour
        parts.append(token(state, colour, 40, y))
        parts.append(_owner(state, colour, y, names))
        for place, (_, amounts) in enumerate(columns):
            if colour < len(amounts):
                parts.append(text(160 + 76 * place, y + 5, amounts[colour], "c"))
    return "".join(parts)
