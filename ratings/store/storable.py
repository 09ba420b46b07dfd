"""Makes a text one that every database takes: it may be what a bot or its author has written."""

from __future__ import annotations

from engine.text import with_parts

_NUL, _INSTEAD = "\0", "\N{REPLACEMENT CHARACTER}"


def storable(text: str) -> str:
    """Return the text without what databases refuse: NUL, and half of a surrogate pair."""
    return with_parts(text, lambda part: part.replace(_NUL, _INSTEAD).encode("utf-8", "replace").decode("utf-8"))
