"""The sessions in which this package reads and writes; nothing outside `ratings` opens one.

    with write(database) as session: ...   # one transaction, committed at the end, undone by any exception
    with read(database) as session: ...    # one consistent view, never committed

Objects read stay usable afterwards. Errors of the driver come out as `ratings.errors`. Owners, bots, versions and
tournaments are looked up by the names and ids that people give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, Table, bindparam, event, insert
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.store.database import Database
from ratings.store.dialects import dialect_of, translated
from ratings.store.models import BotRecord, OwnerRecord, TournamentRecord, VersionRecord

Source: TypeAlias = Database | Session
"""What is read from: a database, or, within this package, a session that is open, to share its view."""
_Row = TypeVar("_Row")
_BOT = select(BotRecord).where(col(BotRecord.name) == bindparam("name"))


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


def save(session: Session, row: _Row) -> _Row:
    """Write a row that is new or has changed, and return it."""
    session.add(row)
    session.flush()
    return row


def get_bot(session: Session, name: str) -> BotRecord:
    """Return the bot of that name. Raises NotFoundError, which lists some that exist."""
    bot = session.exec(_BOT, params={"name": name}).one_or_none()
    if bot is None:
        names = session.exec(select(BotRecord.name).order_by(BotRecord.name).limit(20)).all()
        there = Text("there are: {names}", names=", ".join(names)) if names else Text("there are none yet")
        raise NotFoundError(
            Text("no bot {name}; {what}; add one with: arena bot add DIRECTORY", name=repr(name), what=there)
        )
    return bot


def get_owner(session: Session, name: str) -> OwnerRecord:
    """Return the owner of that name. Raises NotFoundError."""
    owner = session.exec(select(OwnerRecord).where(OwnerRecord.name == name)).one_or_none()
    if owner is None:
        raise NotFoundError(Text("no owner {name}; see: arena owner list", name=repr(name)))
    return owner


def get_version(session: Session, version_id: str) -> VersionRecord:
    """Return the version of that id. Raises NotFoundError."""
    version = session.get(VersionRecord, version_id)
    if version is None:
        raise NotFoundError(Text("no version {version}; see: arena bot list", version=version_id))
    return version


def owner_name(session: Session, bot: BotRecord) -> str | None:
    """Return the name of the bot's owner, or `None` for a bot that was added locally."""
    owner = session.get(OwnerRecord, bot.owner_id) if bot.owner_id else None
    return owner.name if owner else None


def get_tournament(session: Session, tournament_id: str) -> TournamentRecord:
    """Return the tournament of that id. Raises NotFoundError."""
    tournament = session.get(TournamentRecord, tournament_id)
    if tournament is None:
        raise NotFoundError(Text("no tournament {tournament}; see: arena tournament list", tournament=tournament_id))
    return tournament
