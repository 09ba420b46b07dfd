"""Exported tournaments as text files: a header, then the rows of every table, parents before children.

The lines are chained by hashes, so that a change of any byte is found, and at which line. Every line is a hash, a space
and the JSON array `[kind, data]`; the hash is the SHA-256 over the hash of the line before, a space and the JSON as it
stands. The last line is of kind `end` and holds the number of lines before it; its hash is the digest of the file. No
I/O but the two streams handed in.

The rows are those of the tournament itself and those they refer to. Ratings go along to be compared with; an import
computes its own.
"""

from __future__ import annotations

import base64
import enum
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, NoReturn

from sqlalchemy import JSON, Column, LargeBinary, TypeDecorator
from sqlalchemy import Table as CoreTable

from engine.translatable import Text
from ratings.errors import ArchiveError
from ratings.store import tables

END = "end"
_SEED = "kingmaker-arena"
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_MOST_CHARACTERS = 1 << 28
HEADER = "tournament-export"
PUBLIC = "public"
"""The key of a header that is true in a file for everybody, from which the evidence of faults is withheld."""
FORMAT = 1
DERIVED = ("rating_change", "rating", "entrant_tally", "gathering", "pending_rating")
LOCAL = (
    "absence",
    "active_version",
    "admission",
    "bot_event",
    "guest",
    "invitation",
    "ladder",
    "notice",
    "removal",
    "runtime",
    "season",
    "seat_log",
    "token",
)
"""Tables of what a service keeps for itself: no part of a tournament."""
FORGOTTEN = {
    tables.wave.c.memory,
    tables.version.c.files_removed_at_us,
    tables.owner.c.note_bytes,
    tables.match_seat.c.note_bytes,
}
"""Columns that are empty in a file: what they hold follows from the rest, or is about what the arena itself keeps."""
_OF_MANIFEST = {
    **dict.fromkeys(("name", "version", "runtime", "protocol"), str),
    **dict.fromkeys(("games", "command", "build"), list),
    "rules": dict,
    "memory_mb": int,
    "deterministic": bool,
}
"""The types of what a manifest can say; lists and tables are of texts. Of a version that is imported each may lack."""
_ADDED = {"pool": {"rating_method": "trueskill"}}
"""What a row says that was exported before its table had that column."""
_LARGEST = 2**63
_LAST_INSTANT_US = 253_402_300_800_000_000
"""The year 10000, which no calendar has."""


class ColumnError(ValueError):
    """A value that a row of a file cannot have."""

    def __init__(self, column: str, value: Any) -> None:
        """Say of which column it is the value."""
        super().__init__(column, value)
        self.column, self.value = column, value


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
            "{file} is no tournament as it was exported: {why}; nothing was imported; export it again",
            file=name,
            why=why,
        )
    )


def archived_tables() -> list[CoreTable]:
    """Return every table, parents before children; one that is added later is among them without being named here."""
    apart = (*DERIVED, *LOCAL)
    return [table for table in tables.metadata.sorted_tables if table.name not in apart] + [tables.rating_change]


def row_encoder(table: CoreTable) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Return what makes JSON of the rows of a table, all columns in order: bytes in base64, enumerations by value.

    Nearly all values stay as they are, and of a large tournament there are millions: only those columns are looked at
    of which something becomes something else.
    """
    names = table.columns.keys()
    changed = [(column.name, change) for column in table.columns if (change := _encoder(column)) is not None]

    def encode(row: Sequence[Any]) -> dict[str, Any]:
        data = dict(zip(names, row, strict=True))
        for name, change in changed:
            data[name] = change(data[name])
        return data

    return encode


def _encoder(column: Column[Any]) -> Callable[[Any], Any] | None:
    """Return what makes JSON of the values of a column, or `None` if they stay as they are."""
    if column in FORGOTTEN:
        return lambda _: None
    if isinstance(column.type, LargeBinary):
        return lambda value: None if value is None else base64.b64encode(value).decode("ascii")
    if getattr(column.type, "enum_class", None) is not None:
        return lambda value: value.value if isinstance(value, enum.Enum) else value
    return None


def decode_row(table: CoreTable, data: Any) -> dict[str, Any]:
    """Return the row that `row_encoder` encoded. Raises ColumnError, TypeError, KeyError for anything else."""
    if isinstance(data, dict):
        data = _ADDED.get(table.name, {}) | data
    if not isinstance(data, dict) or set(data) != set(table.columns.keys()):
        raise KeyError(f"the columns of {table.name} are others")
    row = {}
    for column in table.columns:
        value = data[column.name]
        try:
            row[column.name] = None if column in FORGOTTEN else _decode(column, value)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise ColumnError(column.name, value) from error
    return row


def _decode(column: Column[Any], value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise ValueError("something must stand there")
        return None
    if isinstance(column.type, JSON):
        return _check_json(column, value)
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    if (kind := getattr(column.type, "enum_class", None)) is not None:
        return kind(value)
    plain = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    if column.name.endswith("_at_us") and not 0 <= value < _LAST_INSTANT_US:
        raise ValueError("it is no instant")
    return _check_value(plain.python_type, value)


def _check_json(column: Column[Any], value: Any) -> Any:
    """Return the value of a column of JSON. Raises ValueError if it is no object, or what every database cannot hold.

    An opening alone is a list: of actions.
    """
    if column is tables.block.c.opening:
        if not isinstance(value, list) or any(type(action) is not int for action in value):
            raise ValueError("it is no list of actions")
    elif not isinstance(value, dict):
        raise ValueError("it is no object")
    elif column is tables.version.c.manifest:
        for name, said in value.items():
            kind = _OF_MANIFEST.get(name)
            words = said if kind is list else said.values() if kind is dict and isinstance(said, dict) else ()
            if kind and (type(said) is not kind or any(type(word) is not str for word in words)):
                raise ValueError(f"{name} is no {kind.__name__}, or not of texts")
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return value


def _check_value(kind: type[Any], value: Any) -> Any:
    """Return the value. Raises ValueError for one of another type, or one that fits no column; none is below 0.

    SQLite would store text in a column of numbers.
    """
    if kind is float and type(value) is int:
        return float(value)
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    if type(value) is not kind or (kind is int and not 0 <= value < _LARGEST):
        raise ValueError(f"{value!r} is not {kind.__name__}")
    if kind is str:
        value.encode()  # half a surrogate pair cannot be written
    return value
