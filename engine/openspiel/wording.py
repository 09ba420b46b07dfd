"""OpenSpiel's words for an action, fit for one line. No I/O."""

from __future__ import annotations

import re
from typing import Any, Final

from engine.openspiel.library import load

_COLOUR: Final = re.compile("\x1b\\[[0-9;]*m")
_PLAIN: Final = str.maketrans("{}<>\n\t", "()()  ")


def words_of(inner: Any, action: int) -> str:
    """Return OpenSpiel's words for an action in a state, on one line; its number if there are none."""
    try:
        text = inner.action_to_string(inner.current_player(), action)
    except load().SpielError:
        text = ""
    text = "".join(sign for sign in without_colour(text).translate(_PLAIN) if sign.isprintable())
    return " ".join(text.split()) or f"A{action}"


def without_colour(text: str) -> str:
    """Return a text without the marks by which a terminal colours it."""
    return _COLOUR.sub("", text)
