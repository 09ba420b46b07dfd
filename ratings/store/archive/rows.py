"""What an exported tournament holds: a header, then the rows of every table, parents before children.

The rows are those of the tournament itself and those they refer to. Ratings go along to be compared with; an import
computes its own.
"""

from __future__ import annotations

import base64
import enum
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import JSON, Column, LargeBinary, TypeDecorator
from sqlalchemy import Table as CoreTable

from ratings.store import tables

HEADER = "tournament-export"
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
FORGOTTEN = {tables.wave.c.memory, tables.version.c.files_removed_at_us}
"""Columns that are empty in a file, for what they hold follows from the rest, or is about files of the arena itself."""
_LARGEST = 2**63


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
    """Return the row that `row_encoder` encoded. Raises ValueError, TypeError, KeyError for anything else."""
    if set(data) != set(table.columns.keys()):
        raise KeyError(f"the columns of {table.name} are others")
    return {
        column.name: None if column in FORGOTTEN else _decode(column, data[column.name]) for column in table.columns
    }


def _decode(column: Column[Any], value: Any) -> Any:
    if value is None or isinstance(column.type, JSON):
        return value
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    if (kind := getattr(column.type, "enum_class", None)) is not None:
        return kind(value)
    plain = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    return _check_value(plain.python_type, value)


def _check_value(kind: type[Any], value: Any) -> Any:
    """Return the value. Raises ValueError for one of another type, or one that fits no column.

    SQLite would store text in a column of numbers.
    """
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (kind is int and not -_LARGEST <= value < _LARGEST):
        raise ValueError(f"{value!r} is not {kind.__name__}")
    if kind is str:
        value.encode()  # half a surrogate pair cannot be written
    return value
