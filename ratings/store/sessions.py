"""The sessions in which this package reads and writes; nothing outside `ratings` opens one.

    with write(database) as session: ...   # one transaction, committed at the end, undone by any exception
    with read(database) as session: ...    # one consistent view, never committed

Objects read stay usable afterwards. Errors of the driver come out as `ratings.errors`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from sqlalchemy import Connection, Table, event, insert
from sqlmodel import Session

from ratings.store.database import Database
from ratings.store.dialects import dialect_of, translated

Source: TypeAlias = Database | Session
"""What is read from: a database, or, within this package, a session that is open, to share its view."""


@contextmanager
def write(database: Database, *, together: bool = False) -> Iterator[Session]:
    """Open a session that writes: one transaction, alone from its beginning, committed at the end of the block.

    With `together`, others that say so may write at the same time where the database allows it: the block locks the
    rows on which what it writes depends.
    """
    with translated(database.url), Session(database.engine, expire_on_commit=False) as session:
        dialect = dialect_of(database.url)
        session.connection(execution_options=dialect.WRITING_TOGETHER if together else dialect.WRITING)
        yield session
        session.flush()
        database.need_file()
        session.commit()


@contextmanager
def read(source: Source) -> Iterator[Session]:
    """Open a session that reads: one consistent view, whatever others write meanwhile.

    An open session is handed on: what it reads belongs to the same view.
    """
    if isinstance(source, Session):
        yield source
        return
    with translated(source.url), Session(source.engine, expire_on_commit=False, autoflush=False) as session:
        if options := dialect_of(source.url).READING:
            session.connection(execution_options=options)
        yield session


@contextmanager
def interruptible(database: Database) -> Iterator[Callable[[], None]]:
    """Give a function that has every statement fail that runs just then on a connection taken in the block.

    Their transactions are undone. A statement that begins later runs; who wants it to end, too, calls again.
    """
    used: set[Any] = set()

    def take(driver: Any, *_: object) -> None:
        used.add(driver)

    def give_back(driver: Any, *_: object) -> None:
        used.discard(driver)

    def interrupt() -> None:
        for driver in tuple(used):
            dialect_of(database.url).interrupt(driver)

    pool = database.engine.pool
    event.listen(pool, "checkout", take)
    event.listen(pool, "checkin", give_back)
    try:
        yield interrupt
    finally:
        event.remove(pool, "checkout", take)
        event.remove(pool, "checkin", give_back)


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
