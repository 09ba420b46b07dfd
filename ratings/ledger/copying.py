"""Copies a whole database into an empty one, of the same kind or of another: row by row, checked by counts and hashes.

Rows go in the order of their keys, some thousands in a transaction, parents before children. So what a killed copy left
is a beginning of every table, and the next one goes on from there. Until all is there, nobody else opens the target.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from typing import Any, TypeAlias

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Enum,
    MetaData,
    Select,
    String,
    Table,
    bindparam,
    cast,
    func,
    select,
    tuple_,
)
from sqlalchemy import Text as LongText
from sqlalchemy.types import TypeEngine

from engine.translatable import Text
from ratings.errors import CopyError
from ratings.store import schema, tables
from ratings.store.database import Database
from ratings.store.identifiers import storable
from ratings.store.sessions import read, write
from ratings.values.states import OnWorkProgress, WorkStage, no_progress

PART = 2000
"""How many rows are written in one transaction."""
_PASSED = 10_000
"""How many rows are read at a time to be compared."""
Values: TypeAlias = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds."""

    rows: Mapping[str, int]
    """How many rows each table has."""
    begun_with: int
    """How many rows were there already, of a copy that was cut off."""
    digest: str
    """The SHA-256 of all rows, in hex; equal for both databases."""


def copy_database(
    source: Database, target: Database, report: OnWorkProgress = no_progress, finish: Callable[[], None] = lambda: None
) -> Copied:
    """Copy all rows of `source`, as it is now, into `target`, which is empty or was begun to be copied from it.

    `report` is told how far it is, in rows; `finish` is called when all rows agree, to copy what belongs to them.
    Raises CopyError if `target` holds anything else, or if both do not agree in the end. What was copied stays, opens
    with `open_database(..., copies=True)` alone, and copying again goes on from there.
    """
    with read(source) as session:
        here = session.connection()
        begun = {table.name: _begun(here, target, table) for table in tables.metadata.sorted_tables}
        if not any(begun.values()):
            with write(target) as begins:
                schema.begin_copy(begins.connection())
        counts = {table.name: _count(here, table) for table in tables.metadata.sorted_tables}
        whole, done = sum(counts.values()), sum(begun.values())
        for table in tables.metadata.sorted_tables:
            with _rows_after(here, table, _last_key(target, table), target) as rows:
                for part in _parts(rows, PART):
                    _insert(target, table, part)
                    done += len(part)
                    report(WorkStage.COPYING, done, whole)
        digest = _compare(here, target, whole, report)
    finish()
    with write(target) as session:
        schema.end_copy(session.connection())
    return Copied(counts, sum(begun.values()), digest)


@cache
def _plain(table: Table, dialect: str) -> Table:
    """Return the table with columns whose values pass as they are stored: a text of JSON to its last space."""
    known = MetaData()
    columns = [Column(column.name, _plain_type(column.type, dialect)) for column in table.columns]
    return Table(table.name, known, *columns)


def _plain_type(kind: TypeEngine[Any], dialect: str) -> TypeEngine[Any]:
    if isinstance(kind, JSON):
        return JSON() if dialect == "postgresql" else LongText()
    return String() if isinstance(kind, Enum) else kind


def _select(connection: Connection, table: Table) -> tuple[Select[Any], list[Any]]:
    """Return what selects all rows as they are stored in the order of their keys, and the columns of the key."""
    plain = _plain(table, connection.dialect.name)
    shown = [cast(column, LongText) if isinstance(column.type, JSON) else column for column in plain.columns]
    keys = [plain.c[column.name] for column in table.primary_key]
    return select(*shown).order_by(*keys), keys


@contextmanager
def _rows_after(
    connection: Connection, table: Table, last: Values | None, target: Database
) -> Iterator[Iterator[Values]]:
    """Read the rows behind a key as the target stores them, and let go of them at the end, whatever ends it."""
    query, keys = _select(connection, table)
    if last is not None:
        query = query.where(tuple_(*keys) > tuple_(*last))

    def stored(value: Any) -> Any:
        if isinstance(value, memoryview):
            return bytes(value)
        return storable(value) if isinstance(value, str) and target.is_on_server else value

    with connection.execution_options(yield_per=_PASSED).execute(query) as rows:
        yield (tuple(map(stored, row)) for row in rows)


def _parts(rows: Iterator[Values], size: int) -> Iterator[list[Values]]:
    while part := list(islice(rows, size)):
        yield part


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def _last_key(target: Database, table: Table) -> Values | None:
    with read(target) as session:
        connection = session.connection()
        _, keys = _select(connection, table)
        last = connection.execute(select(*keys).order_by(*(key.desc() for key in keys)).limit(1)).one_or_none()
        return None if last is None else tuple(last)


def _begun(source: Connection, target: Database, table: Table) -> int:
    """Return how many rows of a table were copied before. Raises CopyError if they are no beginning of it."""
    last = _last_key(target, table)
    if last is None:
        return 0
    with read(target) as session:
        there = _count(session.connection(), table)
    _, keys = _select(source, table)
    query = select(func.count()).select_from(keys[0].table).where(tuple_(*keys) <= tuple_(*last))
    if source.execute(query).scalar_one() != there:
        raise CopyError(
            Text(
                "{name} holds something else ({table}); name an empty database",
                name=str(target.url.database),
                table=table.name,
            )
        )
    return there


def _insert(target: Database, table: Table, rows: list[Values]) -> None:
    with write(target) as session:
        connection = session.connection()
        schema.begin_copy(connection)
        plain = _plain(table, connection.dialect.name)
        values = {
            column.name: cast(bindparam(column.name, type_=LongText()), JSON)
            if isinstance(column.type, JSON)
            else bindparam(column.name)
            for column in plain.columns
        }
        names = [column.name for column in plain.columns]
        connection.execute(plain.insert().values(values), [dict(zip(names, row, strict=True)) for row in rows])


def _compare(source: Connection, target: Database, whole: int, report: OnWorkProgress) -> str:
    """Return the digest of all rows. Raises CopyError if both databases do not have the same."""
    digest, done = hashlib.sha256(), 0
    with read(target) as session:
        there = session.connection()
        for table in tables.metadata.sorted_tables:
            with _rows_after(source, table, None, target) as one, _rows_after(there, table, None, target) as other:
                for mine, its in zip_longest(_parts(one, _PASSED), _parts(other, _PASSED)):
                    if mine != its:
                        raise CopyError(
                            Text(
                                "{table} is not the same in both databases: one was written to meanwhile, or "
                                "held something else before; copy into an empty database while nobody plays",
                                table=table.name,
                            )
                        )
                    digest.update(f"{table.name} {mine!r}".encode())
                    done += len(mine)
                    report(WorkStage.COMPARING, done, whole)
    return digest.hexdigest()
