"""Text that steers no terminal, deceives no reader and is computed by no spreadsheet, whoever wrote it.

This is the one place that says which characters do.

C0 and C1 control characters, DEL, marks that turn the direction of writing round, other invisible characters that
format, and separators of lines and paragraphs are written as JSON would escape them, so that what was meant can still
be read, and JSON that holds them stays the same JSON.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

_NO_BREAK = frozenset("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}")
"""They count as not printable, but steer nothing, and French sets them before some signs."""
_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""With which what a spreadsheet computes begins: also the wide forms of the signs."""


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


def write_csv(rows: Iterable[Sequence[Any]], stream: TextIO) -> None:
    """Write rows as lines of comma-separated values; `None` becomes an empty cell, and numbers stay numbers.

    A text that a spreadsheet would take for a formula has an apostrophe before it, which makes it a text there.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        text = plain(value, keep="\n\t")  # a lone carriage return would end a line
        return f"'{text}" if text.startswith(_FORMULAS) else text
    return "" if value is None else value
