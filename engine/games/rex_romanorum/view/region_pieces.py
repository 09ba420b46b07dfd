"""What stands in a region: its name, owner, figures, church, castle, and those who attack it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, pairwise
from typing import Final

from engine.games.rex_romanorum.board import BIT, REGION_COUNT
from engine.games.rex_romanorum.state import NOBODY, RexState
from engine.games.rex_romanorum.view.geography import CELLS, shape
from engine.games.rex_romanorum.view.pieces import castle, church, shield, swords
from engine.games.rex_romanorum.view.text import figures_text
from engine.kit.drawing import group, text, titled

STYLE: Final = (
    ".n{font-size:15.5px;font-weight:bold;text-anchor:middle}"
    ".n,.f{paint-order:stroke;stroke:#fbf6e8;stroke-width:4px;stroke-linejoin:round;stroke-opacity:.85}"
    ".f{font-size:18px;font-weight:bold}.a{fill:#b00000}"
)
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
    scale, rows = _arranged(_pieces(stands), width, height - named)
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
    return f'{drawn}<g transform="{place}">{_drawn(rows)}</g>'


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
    ends = (end for end in range(letters - 1, _FEWEST - 1, -1) if _ends_well(name, end))
    return name[: next(ends, letters - 1)].rstrip(" -") + "."


def _ends_well(name: str, end: int) -> bool:
    return name[end] in _VOWELS and name[end - 1] not in _VOWELS and name[end - 1].isalpha()


def _pieces(stands: RegionPieces) -> list[_Piece]:
    """Return the pieces from left to right: owner with figures, church, castle, attackers."""
    found = []
    if stands.owner != NOBODY or stands.own:
        found.append(_army(stands.owner, stands.own))
    if stands.church != NOBODY:
        found.append(_Piece(_SIGN - 4, church(stands.church, 10, 0)))
    if stands.castle:
        found.append(_Piece(_SIGN - 4, castle(10, 0)))
    if stands.attackers:
        found.append(_attack(stands.attacker, stands.attackers))
    return found


def _army(owner: int, figures: str) -> _Piece:
    arms = shield(owner, 12, 0) if owner != NOBODY else ""
    start = _SIGN + 2 if arms else 0
    return _Piece(start + _FIGURE * len(figures), arms + (text(start, 6.5, figures, "f") if figures else ""))


def _attack(attacker: int, figures: str) -> _Piece:
    """Return attackers, in red with swords and their arms."""
    drawn = swords(9, 0) + shield(attacker, 31, 0) + text(45, 6.5, figures, "f a")
    return _Piece(45 + _FIGURE * len(figures), drawn)


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


def _drawn(rows: list[list[_Piece]]) -> str:
    """Return the pieces, each row in the middle and below the one before."""
    shown = ""
    for place, row in enumerate(rows):
        x = -_width(row) / 2
        for piece in row:
            shown += group(round(x, 1), _PITCH * (place + 0.5), piece.drawing)
            x += piece.width + _GAP
    return shown
