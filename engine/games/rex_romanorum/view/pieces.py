"""The signs of the picture: arms of the seats, churches, castles, swords, the crown, dice.

Every colour has a second sign: owners a letter and a hatching, churches a letter, kinds of figures a letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.games.rex_romanorum.state import NOBODY
from engine.games.rex_romanorum.view.text import DIOCESE_LETTERS, letter_of

ARMS: Final[Mapping[int, str]] = {
    NOBODY: "#f6eeda",
    0: "#f3b4a5",
    1: "#aecbf0",
    2: "#b5ddb0",
    3: "#f4e08a",
    4: "#c9c9c9",
}
"""Pale fills, so that names stay readable: Habsburg, Wittelsbach, Ascania, Welf, Wettin (S1)."""
INKS: Final = ("#b52b1d", "#1f5fae", "#23762f", "#8a6a00", "#3a3a3a")
CHURCH_INKS: Final = ("#b3261e", "#222222", "#1f5fae")
_HATCHES: Final = ("M0 10L10 0", "M0 5H10", "M5 0V10", "M0 0L10 10", "M0 0L10 10M0 10L10 0")
_PATTERNS: Final = "".join(
    f'<pattern id="p{seat}" width="10" height="10" patternUnits="userSpaceOnUse">'
    f'<rect width="10" height="10" fill="{ARMS[seat]}"/><path d="{hatch}" stroke="{INKS[seat]}" stroke-width="0.8"'
    ' stroke-opacity="0.5" fill="none"/></pattern>'
    for seat, hatch in enumerate(_HATCHES)
)
"""A fill and a hatching for each seat."""
_CASTLE: Final = (
    '<g id="rx-castle"><path d="M-9 9V-9h4v4h3v-4h4v4h3v-4h4V9Z" fill="#5b5b5b" stroke="#111"/>'
    '<path d="M-2.500 9V3h5v6Z" fill="#fff"/></g>'
)
_CROWN: Final = '<path id="rx-crown" class="crown" d="M-11 8L-14 -7L-6 1L0 -10L6 1L14 -7L11 8Z"/>'
_SWORDS: Final = '<path id="rx-swords" class="sw" d="M-7 -7L7 7M-7 7L7 -7M-7 2L-2 7M2 7L7 2"/>'
STYLE: Final = (
    ".k{fill:#fff;font-size:18px;font-weight:bold;text-anchor:middle}.j{font-size:14px;font-weight:bold;text-anchor:middle}"
    ".sw{fill:none;stroke:#c00;stroke-width:2.4}.crown{fill:#ffcf33;stroke:#3d2c00;stroke-width:1.5}"
    ".struck{fill:#8c1d18;stroke:#222}.miss{fill:#fff;stroke:#222}.medal{fill:#ffcf33;stroke:#3d2c00;stroke-width:1.5}"
    + "".join(f".i{diocese}{{fill:{ink}}}" for diocese, ink in enumerate(CHURCH_INKS))
)


_ARMS: Final = "".join(
    f'<g id="s{seat}"><path d="M-11 -11H11V2C11 8 5 10 0 12C-5 10 -11 8 -11 2Z" fill="{ink}" stroke="#222"/>'
    f'<text y="6" class="k">{letter_of(seat)}</text></g>'
    for seat, ink in enumerate(INKS)
)
_SPIRES: Final = "".join(
    f'<g id="c{diocese}"><path d="M-9 11V0L-1.500 -6V-8H-4V-10H-1.500V-12H1.500V-10H4V-8H1.500V-6L9 0V11Z" fill="#fff"'
    f' stroke="{ink}" stroke-width="1.6"/><text y="9.500" class="j i{diocese}">{DIOCESE_LETTERS[diocese]}</text></g>'
    for diocese, ink in enumerate(CHURCH_INKS)
)
DEFS: Final = "".join((_PATTERNS, _ARMS, _SPIRES, _CASTLE, _CROWN, _SWORDS))


def sign(name: str, x: float, y: float) -> str:
    """Return a sign around a place."""
    return f'<use href="#{name}" x="{x:g}" y="{y:g}"/>'


def shield(seat: int, x: float, y: float) -> str:
    """Return the arms of a seat, with colour and letter."""
    return sign(f"s{seat}", x, y)


def church(diocese: int, x: float, y: float) -> str:
    """Return a church of a diocese, with colour and letter (S2)."""
    return sign(f"c{diocese}", x, y)


def castle(x: float, y: float) -> str:
    """Return a castle."""
    return sign("rx-castle", x, y)


def swords(x: float, y: float) -> str:
    """Return the sign of attackers."""
    return sign("rx-swords", x, y)


def crown(x: float, y: float) -> str:
    """Return the king's crown."""
    return sign("rx-crown", x, y)


def die(number: int, x: float, y: float, *, is_hit: bool) -> str:
    """Return a die, 22 units wide: dark with a white number if it hit."""
    square = f'<rect class="{"struck" if is_hit else "miss"}" x="{x:g}" y="{y:g}" width="22" height="22" rx="4"/>'
    return f'{square}<text x="{x + 11:g}" y="{y + 17:g}" class="{"k" if is_hit else "c v"}">{number}</text>'
