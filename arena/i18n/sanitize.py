"""Text that steers no terminal and deceives no reader, whoever wrote it: the one place that says which characters do.

C0 and C1 control characters, DEL, marks that turn the direction of writing round, other invisible characters that
format, and separators of lines and paragraphs are written as JSON would escape them, so that what was meant can still
be read, and JSON that holds them stays the same JSON.
"""

from __future__ import annotations

import json

_NO_BREAK = frozenset("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}")
"""They count as not printable, but steer nothing, and French sets them before some signs."""


def is_plain(char: str) -> bool:
    """Return whether a character is shown as itself and does nothing else."""
    return char.isprintable() or char in _NO_BREAK


def plain(text: str, keep: str = "") -> str:
    """Return the text with every character escaped that is not plain, except those to `keep`."""
    rest = text
    for char in keep:
        rest = rest.replace(char, "")
    if rest.isprintable():
        return text
    return "".join(char if char in keep or is_plain(char) else json.dumps(char)[1:-1] for char in text)
