"""What an exported tournament holds: a header, then the rows of every table, parents before children.

The rows are those of the tournament itself and what they refer to. Tables that come later are found by their columns,
so nothing is forgotten. Ratings go along to be compared with; an import computes its own.
"""

from __future__ import annotations

import base64
import enum
from collections.abc import Iterator
from typing import Any

from sqlalchemy import JSON, Column, ColumnElement, LargeBinary, Select, TypeDecorator, select
from sqlalchemy import Table as CoreTable
from sqlmodel import Session

from ratings.errors import ArchiveError
from ratings.read.queries import tournament_row
from ratings.store import schema, tables
from ratings.store.models import Table, Tournament

HEADER = "tournament-export"
FORMAT = 1
DERIVED = ("rating_change", "rating")
_LARGEST = 2**63


def records(session: Session, tournament: Tournament) -> Iterator[tuple[str, Any]]:
    """Kind and data of every line. Raises ArchiveError if the tournament is not over."""
    row = tournament_row(session, tournament.id)
    if row.status not in ("finished", "cancelled"):
        raise ArchiveError(
            f"tournament {tournament.name!r} is not over ({row.progress.finished} of {row.progress.total} matches "
            f"played); `arena tournament resume {tournament.name}` plays what is left, `cancel` gives it up"
        )
    yield HEADER, {"format": FORMAT, "schema": schema.HEAD, "tournament": tournament.id, "name": tournament.name}
    for table in archived_tables():
        query = select(table).where(_condition(table, tournament)).order_by(*table.primary_key.columns)
        yield from ((table.name, encode_row(table, found)) for found in _rows(session, query))


def archived_tables() -> list[CoreTable]:
    """Every table, parents before children."""
    return [table for table in Table.metadata.sorted_tables if table.name not in DERIVED] + [tables.rating_change]


def _rows(session: Session, query: Select[Any]) -> Iterator[Any]:
    yield from session.connection().execute(query, execution_options={"yield_per": 200}).mappings()


def _condition(table: CoreTable, tournament: Tournament) -> ColumnElement[bool]:
    """Which rows of a table belong to the tournament."""
    columns = table.c
    if table is tables.tournament:
        return columns.id == tournament.id
    if table is tables.pool:
        return columns.id == tournament.pool_id
    if "tournament_id" in columns:
        return columns.tournament_id == tournament.id
    if "match_id" in columns:
        return columns.match_id.in_(select(tables.match.c.id).where(tables.match.c.tournament_id == tournament.id))
    return columns.id.in_(_people(table, tournament))


def _people(table: CoreTable, tournament: Tournament) -> Select[Any]:
    """The ids of the versions that took part, of their bots, of their owners."""
    entrant, version, bot = tables.entrant, tables.version, tables.bot
    if table is version:
        return select(entrant.c.version_id).where(entrant.c.tournament_id == tournament.id)
    joined = select(version.c.bot_id).join(entrant, entrant.c.version_id == version.c.id)
    bots = joined.where(entrant.c.tournament_id == tournament.id)
    if table is bot:
        return bots
    assert table is tables.owner, f"a table whose rows are of no tournament: {table.name}"
    return select(bot.c.owner_id).where(bot.c.id.in_(bots), bot.c.owner_id.is_not(None))


def encode_row(table: CoreTable, row: Any) -> dict[str, Any]:
    """A row as JSON: bytes in base64, enumerations by value."""
    return {column.name: _encode(row[column.name]) for column in table.columns}


def _encode(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.value if isinstance(value, enum.Enum) else value


def decode_row(table: CoreTable, data: Any) -> dict[str, Any]:
    """The row that `encode_row` wrote. Raises ValueError, TypeError, KeyError for anything else."""
    if set(data) != set(table.columns.keys()):
        raise KeyError(f"the columns of {table.name} are others")
    return {column.name: _decode(column, data[column.name]) for column in table.columns}


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
    """SQLite would take text for a number. Raises ValueError for what is of another kind, or fits no column."""
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (kind is int and not -_LARGEST <= value < _LARGEST):
        raise ValueError(f"{value!r} is not {kind.__name__}")
    if kind is str:
        value.encode()  # half a surrogate pair cannot be written
    return value
