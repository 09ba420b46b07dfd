"""Text that steers no terminal, deceives no reader and is computed by no spreadsheet, whoever wrote it.

This is the one place that says which characters do, and what stands for one that an encoding lacks.

C0 and C1 control characters, DEL, marks that turn the direction of writing round, other invisible characters that
format, and separators of lines and paragraphs are written as JSON would escape them, so that what was meant can still
be read, and JSON that holds them stays the same JSON.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, TextIO
from unicodedata import combining, east_asian_width, normalize

_NO_BREAK = frozenset("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}")
"""They count as not printable, but steer nothing, and French sets them before some signs."""
_COMPUTED = re.compile('^(?=[\t\n])|(^|[;\t\n]"*)(?=[-=+@\uff1d\uff0b\uff0d\uff20])')
"""Where a spreadsheet would take what follows for a formula: also after a separator of another country's files."""
REPLACING = "arena.replacing"
"""The way of `str.encode` to treat what an encoding lacks: something like it in ASCII stands for it."""
_REPLACEMENTS = str.maketrans({
    **dict.fromkeys("\u00a0\u2009\u202f", " "), **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212─╴╶", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u2032“”„«»", "'"),
    "│": "|", **dict.fromkeys("┌┐└┘├┤┬┴┼", "+"),
    "…": "...", "·": ".", "•": "*", "\u00d7": "x", "±": "+/-", "≤": "<=", "≥": ">=", "°": "o", "µ": "u",
    "←": "<-", "→": "->", "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
})  # fmt: skip
"""What stands for a character where an encoding lacks it: never what would end a text in JSON or CSV."""


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

    What a spreadsheet would take for a formula has an apostrophe before it, which makes it a text there.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, int | float | Decimal):
        return value
    text = "" if value is None else plain(str(value), keep="\n\t")  # a lone carriage return would end a line
    return _COMPUTED.sub(r"\1'", text)


def text_width(text: str) -> int:
    """Return how many places of a terminal a text takes (Unicode Standard Annex 11: wide characters take two)."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def encodable(text: str, stream: TextIO) -> str:
    """Return the text with what the encoding of a stream lacks replaced."""
    encoding = getattr(stream, "encoding", None) or "utf-8"  # a stream in memory has none
    return text.encode(encoding, REPLACING).decode(encoding)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII that is about as wide as what cannot be encoded, and where encoding goes on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_in_ascii, error.object[error.start : error.end])), error.end


def _in_ascii(char: str) -> str:
    letters = "".join(one for one in normalize("NFD", char.translate(_REPLACEMENTS)) if not combining(one))
    return letters if letters.isascii() else "?" * text_width(char)


codecs.register_error(REPLACING, _replace)
