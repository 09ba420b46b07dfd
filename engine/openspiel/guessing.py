"""Draws positions that look to a seat like one that it sees in part, in the games in which OpenSpiel can do so.

The arena sends a seat the history of one such position, from which a bot draws others. It tells nothing that is hidden:
it is drawn from a seed that follows from what the seat sees, and OpenSpiel's drawing depends on nothing else, to which
`drawing.can_guess` holds each game.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame


def sample_of(game: OpenSpielGame, inner: Any, seat: int, text: str) -> tuple[int, ...]:
    """Return the history of a position that looks to the seat like OpenSpiel's state, of which it is told `text`.

    It is empty after the end, and in games in which OpenSpiel cannot draw one.
    """
    if not game.facts.can_guess or inner.is_terminal():
        return ()
    drawn = inner.resample_from_infostate(seat, Random(crc32(text.encode())).random)
    return tuple(drawn.history())
