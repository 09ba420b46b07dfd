"""The mark of a bot: a colour, a shape and a letter that stay the same wherever it appears.

The colours are those of Okabe and Ito, which colour-blind people can tell apart; that two bots of one table share
colour and shape is unlikely, and the letter is a third sign.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

COLOURS: Final = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")
"""Okabe, Ito: Color Universal Design (2008), without black."""
_DARK: Final = frozenset({"#0072b2", "#d55e00", "#009e73"})
"""Those on which a white letter reads better than a black one."""
SHAPES: Final = (
    '<circle cx="8" cy="8" r="7.5"/>',
    '<rect x="1" y="1" width="14" height="14" rx="2"/>',
    '<path d="M8 0 L16 14.5 H0 Z"/>',
    '<path d="M8 0 L16 8 L8 16 L0 8 Z"/>',
    '<path d="M4 0.8 H12 L16 8 L12 15.2 H4 L0 8 Z"/>',
)
_LONG: Final = 16
"""A longer name may be cut off where it stands."""
_REMEMBERED: Final = 5000
"""So many links are kept: there are up to 200 on a page."""


@dataclass(frozen=True, slots=True)
class BotMark:
    """How a bot is marked."""

    colour: str
    shape: int
    letter: str

    def svg(self, size: int = 16) -> Markup:
        """Return the mark as a picture of so many pixels, which says nothing to those who hear the page."""
        letter_colour = "#fff" if self.colour in _DARK else "#111"
        height = 12.5 if self.shape == 2 else 11.5  # a triangle has its middle further down
        return Markup(
            f'<svg class="mark" width="{size}" height="{size}" viewBox="0 0 16 16" aria-hidden="true">'
            f'<g fill="{self.colour}" stroke="#0006" stroke-width="0.6">{SHAPES[self.shape]}</g>'
            f'<text x="8" y="{height}" text-anchor="middle" font-size="9.5" font-weight="700" fill="{letter_colour}">'
            f"{escape(self.letter)}</text></svg>"
        )


@lru_cache(_REMEMBERED)
def bot_link(name: str, number: int | None = None) -> Markup:
    """Return the link to the page of a bot, or of a version of it, with its mark; a long name can be read as a hint."""
    shown = escape(name)
    hint = f' title="{shown}"' if len(name) > _LONG else ""
    version = "" if number is None else f"<small>v{number}</small>"
    return Markup(f'<a class="bot" href="/bots/{shown}"{hint}>{mark_of(name).svg()}<span>{shown}</span>{version}</a>')


def mark_of(bot: str) -> BotMark:
    """Return the mark of a bot, which follows from its name alone, owner included."""
    digest = hashlib.sha256(bot.encode(errors="replace")).digest()
    name = bot.rpartition("/")[2] or bot
    return BotMark(COLOURS[digest[0] % len(COLOURS)], digest[1] % len(SHAPES), name[:1].upper() or "?")
