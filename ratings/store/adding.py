"""Writes many rows at once without a mapping for each, which is most of what writing them would cost otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert


def add_rows(connection: Connection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows whose values stand in the order of `columns`, as the driver takes them; none are fine."""
    if not rows:
        return
    statement = insert(table)
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(columns))
    if compiled.positiontup is not None:
        places = [columns.index(name) for name in compiled.positiontup]
        ordered = rows if places == sorted(places) else [tuple(row[place] for place in places) for row in rows]
        connection.exec_driver_sql(str(compiled), list(ordered))
    else:
        connection.execute(statement, [dict(zip(columns, row, strict=True)) for row in rows])
