"""A text file whose lines are chained by hashes, so that a change of any byte is found, and at which line.

Every line is a hash, a space and the JSON array `[kind, data]`; the hash is the SHA-256 over the hash of the line
before, a space and the JSON as it stands. The last line is of kind `end` and holds the number of lines before it; its
hash is the digest of the file. No I/O but the two streams handed in.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, NoReturn

from engine.text import Text
from ratings.errors import ArchiveError

END = "end"
_SEED = "kingmaker-arena"
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_MOST_CHARACTERS = 1 << 28


def write_chain(file: IO[str], records: Iterable[tuple[str, Any]]) -> str:
    """Write the records and the end, and return the digest of the file in hexadecimal digits.

    Data is what JSON can hold, without NaN.
    """
    link, count = _SEED, 0
    for kind, data in records:
        link = _write(file, link, kind, data)
        count += 1
    return _write(file, link, END, count)


def _write(file: IO[str], link: str, kind: str, data: Any) -> str:
    text = _ENCODER.encode([kind, data])
    link = _next(link, text)
    file.write(f"{link} {text}\n")
    return link


def _next(link: str, text: str) -> str:
    return hashlib.sha256(f"{link} {text}".encode()).hexdigest()


def read_chain(file: IO[str], name: str, digest: str | None = None) -> Iterator[tuple[int, str, Any]]:
    """Yield line number (from 1), kind and data of every record before the end.

    Raises ArchiveError at the first line that was changed, if lines are missing, if something follows the end, and if
    the file's digest is not the one given.
    """
    link, count = _SEED, 0
    for number, line in enumerate(_lines(file, name), start=1):
        link, text = _follow(link, line, name, number)
        kind, data = _parse(text, name, number)
        if kind == END:
            _check_end(file, name, count, data)
            if digest not in (None, link):
                _refuse(name, f"its digest is {link}")
            return
        yield number, kind, data
        count += 1
    _refuse(name, f"it ends after line {count}: its last lines are gone")


def _follow(link: str, line: str, name: str, number: int) -> tuple[str, str]:
    """Return the hash that a line should have, after checking that it has it, and the line's JSON."""
    claimed, _, text = line.removesuffix("\n").partition(" ")
    link = _next(link, text)
    if claimed != link or not line.endswith("\n"):
        _refuse(name, f"line {number}{_kind(text)} was changed, or the line before it is gone")
    return link, text


def _parse(text: str, name: str, number: int) -> tuple[str, Any]:
    try:
        kind, data = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        _refuse(name, f"line {number} holds no record")
    if not isinstance(kind, str):
        _refuse(name, f"line {number} holds no record")
    return kind, data


def _kind(text: str) -> str:
    """Return, in words for the message, what a line that was changed seems to be about."""
    found = re.match(r'\["([a-z_]{1,20})"', text)
    return f" ({found[1]})" if found else ""


def _lines(file: IO[str], name: str) -> Iterator[str]:
    try:
        while line := file.readline(_MOST_CHARACTERS):
            yield line
    except UnicodeDecodeError:
        _refuse(name, "it is no text file")


def _check_end(file: IO[str], name: str, count: int, told: Any) -> None:
    if told != count:
        _refuse(name, f"it says {told} lines and has {count}")
    if file.read(1):
        _refuse(name, f"something follows its end in line {count + 1}")


def _refuse(name: str, why: str) -> NoReturn:
    raise ArchiveError(
        Text(
            "ratings.no_tournament_exported_nothing_imported",
            "{file} is no tournament as it was exported: {why}; nothing was imported; export it again",
            file=name,
            why=why,
        )
    )
