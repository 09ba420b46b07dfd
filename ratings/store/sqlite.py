"""All that is particular to SQLite.

Every connection: foreign keys on, a busy timeout, `synchronous=FULL`. In WAL mode NORMAL could lose the last commits in
a power cut; a result that was announced, or played by a person, must not be played again, and FULL costs one fsync for
a match that took a hundred milliseconds or more. Writers begin with BEGIN IMMEDIATE: no busy timeout helps one that has
read first and finds another writer ahead of it.

To read a database in WAL mode, SQLite writes: an index of what is in the log, into a file beside it. Where that cannot
be made, the file is read as it is if there is no log, and otherwise with an index in memory, alone.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, PoolProxiedConnection, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from engine.os_errors import limit_error
from engine.translatable import Text
from ratings.errors import (
    BackupError,
    DatabaseAccessError,
    DatabaseBusyError,
    DatabaseFullError,
    NotADatabaseError,
    RatingsError,
)
from ratings.store.urls import BRIEF_MS, TOLD_MS

BUSY_TIMEOUT_MS = 10_000
_LOOK_AGAIN_S = 0.01
_AMPLE_ROOM = 64 << 20
"""Bytes on the disk with which nothing is done to save any."""
_SHORT_LOG_PAGES = 32
_IMMEDIATE = "arena_immediate"
READING: Mapping[str, Any] = {}
"""A transaction that reads sees one consistent view; SQLite has no other isolation level."""
WRITING: Mapping[str, Any] = {_IMMEDIATE: True}
"""A transaction that will write is alone from its beginning."""
WRITING_TOGETHER = WRITING
"""There is no other way to write."""
_PRAGMAS = ("busy_timeout", "max_page_count")
"""What a database URL may set: sqlite:///arena.db?busy_timeout=500&max_page_count=10000 (milliseconds, pages)."""
_HINDERED = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM}
)
_LEAST_ROOM = 64 * 1024
"""Bytes; with fewer left on a disk, what fails there fails for want of them."""


def is_there(url: URL) -> bool:
    """Return whether the database exists, without making it. Raises DatabaseAccessError if none could lie there."""
    _check_place(url)
    return not _is_file(url) or Path(str(url.database)).exists()


def _is_file(url: URL) -> bool:
    """Return whether the URL names a plain file, and not a database in memory or a `file:` URI with its own rules."""
    return url.database not in (None, "", ":memory:") and not str(url.database).startswith("file:")


def make_engine(url: URL, *, only_reads: bool = False) -> Engine:
    """Return an engine whose connections behave as this module promises, without touching the file yet.

    With `only_reads` its connections refuse to write. Raises DatabaseAccessError if no file could lie there.
    """
    _check_place(url)
    told = _url_pragmas(url)
    pragmas = {"busy_timeout": BUSY_TIMEOUT_MS, **told, **({"query_only": 1} if only_reads else {})}
    url = url.difference_update_query(_PRAGMAS)
    # A database in memory lives as long as its one connection, so there must never be a second.
    kind: dict[str, Any] = {"poolclass": StaticPool} if url.database in (None, "", ":memory:") else {}
    # Python's driver would begin transactions by itself, late and deferred; isolation_level None stops it.
    engine = create_engine(url, connect_args={"isolation_level": None, "check_same_thread": False}, **kind)

    engine.update_execution_options(**{TOLD_MS: told.get("busy_timeout")})
    event.listen(engine, "connect", partial(_set_pragmas, pragmas))
    if _is_file(url) and not only_reads:
        event.listen(engine, "connect", partial(_keep_log_short, Path(str(url.database))))
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(pragmas: Mapping[str, int], connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    for name, value in pragmas.items():
        connection.execute(f"PRAGMA {name}={value}")


def _keep_log_short(path: Path, connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    """Where there is little room, have the log emptied into the file so often that it stays smaller than the file."""
    if not has_room(path, _AMPLE_ROOM):
        connection.execute(f"PRAGMA wal_autocheckpoint={_SHORT_LOG_PAGES}")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(_IMMEDIATE, False):
        connection.exec_driver_sql("BEGIN")
        return
    need_writable(connection)
    brief_ms = options.get(BRIEF_MS)
    if brief_ms is None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    (usual_ms,) = connection.exec_driver_sql("PRAGMA busy_timeout").one()
    connection.exec_driver_sql(f"PRAGMA busy_timeout={min(brief_ms, usual_ms)}")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={usual_ms}")


def _url_pragmas(url: URL) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in set(url.query) & set(_PRAGMAS):
        text = str(url.query[name])
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise DatabaseAccessError(
                Text("{name}={value} in the database URL is not a number", name=name, value=repr(text))
            )
        found[name] = int(text)
    return found


def _check_place(url: URL) -> None:
    """Raise DatabaseAccessError if no file can lie there, before SQLite says it less clearly."""
    if not _is_file(url):
        return
    path = Path(str(url.database))
    if path.is_dir():
        raise DatabaseAccessError(
            Text("{path} is a directory; name a file, for example {example}", path=path, example=path / "arena.db")
        )
    if not path.parent.is_dir():
        raise DatabaseAccessError(
            Text("there is no directory {path}; create it, or name another database", path=path.parent)
        )


def prepare_fresh(engine: Engine) -> None:
    """Switch the file to write-ahead logging for good, so that readers and the writer do not wait for each other.

    SQLite does not wait by itself where another process makes the same file its own just then.
    """
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        (patience_ms,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        deadline = time.monotonic() + patience_ms / 1000
        while not _switches(cursor, is_last=time.monotonic() >= deadline):
            time.sleep(_LOOK_AGAIN_S)
    finally:
        connection.close()


def _switches(cursor: DBAPICursor, *, is_last: bool) -> bool:
    try:
        cursor.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError as error:
        if is_last or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def finish_schema(connection: Connection) -> None:
    """Do nothing: texts sort by their code points here."""


def mark(connection: PoolProxiedConnection) -> int:
    """Return a number that changes when another connection has written, whichever process it belongs to."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA data_version")
    (found,) = cursor.fetchone() or (0,)
    cursor.close()
    return int(found)


def translate(error: BaseException, url: URL) -> RatingsError | None:
    """Return what a driver's error means to people, with the remedy, or `None` if it is not an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(error, sqlite3.Error) or code is None:
        return None
    place = url.database or "the database"
    match code & 0xFF:  # the higher bits only refine the cause
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR if not has_room(Path(place)):
            return _no_room(place)
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR if (limit := limit_error(errno.EFBIG, place)) is not None:
            return DatabaseAccessError(limit)
        case sqlite3.SQLITE_FULL:
            return _no_room(place)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseBusyError(
                Text("{path} is being written by another process; try again when it has finished", path=place)
            )
        case sqlite3.SQLITE_NOTADB:
            return NotADatabaseError(Text("{path} is not a database; name another file", path=place))
        case sqlite3.SQLITE_CORRUPT:
            return NotADatabaseError(Text("{path} is damaged ({why}); restore a backup", path=place, why=error))
        case sqlite3.SQLITE_READONLY:
            return DatabaseAccessError(
                Text("{path} cannot be written; check the permissions of file and directory", path=place)
            )
        case sqlite3.SQLITE_CANTOPEN:
            return DatabaseAccessError(
                Text("{path} cannot be opened; check the permissions of file and directory", path=place)
            )
        case sqlite3.SQLITE_IOERR:
            return DatabaseAccessError(
                Text(
                    "{path} cannot be read or written ({why}); if a file beside it was removed, end all programs that "
                    "use it and run `arena db check`, otherwise check the disk",
                    path=place,
                    why=error,
                )
            )
    return None


def _no_room(place: str) -> DatabaseFullError:
    return DatabaseFullError(
        Text("no room left for {path}; free some space and go on, nothing was half-written", path=place)
    )


def backup(engine: Engine, target: Path) -> None:
    """Copy the database into a new file while others go on writing.

    Raises BackupError if the file exists already or its directory does not.
    """
    if target.exists():
        raise BackupError(Text("{file} exists already; name a new file", file=target))
    if not target.parent.is_dir():
        raise BackupError(Text("there is no directory {path}; create it first", path=target.parent))
    # The copy gets its name only when it is complete, and by a link, which never replaces a file made meanwhile.
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as directory:
        whole = Path(directory) / "copy.db"
        _copy(engine, whole)
        try:
            os.link(whole, target)
        except FileExistsError as error:
            raise BackupError(Text("{file} exists already; name a new file", file=target)) from error


def _copy(engine: Engine, whole: Path) -> None:
    source = engine.raw_connection()
    try:
        with closing(sqlite3.connect(whole)) as copy:
            driver = source.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.backup(copy)
            # So that the copy is one file, easy to move, without -wal and -shm beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        source.close()
    with whole.open("rb") as written:
        os.fsync(written.fileno())


def problems(connection: Connection) -> Iterator[str]:
    """Yield what SQLite's own checks find: damaged pages and indexes, references to nothing."""
    try:
        for (finding,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
            if finding != "ok":
                yield f"integrity: {finding}"
    except DBAPIError as error:  # some damage stops the check itself
        yield f"integrity: {error.orig}"
        return
    for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(20):
        yield Text(
            "row {row} of {table} refers to a row of {other} that is not there", row=row, table=table, other=parent
        )


def interrupt(driver: Any) -> None:
    """Have the statement fail that runs on a connection of the driver, in another thread."""
    driver.interrupt()


class LookingConnection(sqlite3.Connection):
    """A connection that only reads, and why nothing can be written."""

    why: sqlite3.Error


def look_where_nothing_can_be_written(engine: Engine, path: Path) -> None:
    """Have an engine read a file that is there also where SQLite cannot write what it needs for that.

    Transactions that are to write raise the error that stood in the way. Each such connection is given up as soon as
    it was used, as things may be better by then.
    """

    def connect(_dialect: Any, _record: Any, words: list[Any], options: dict[str, Any]) -> sqlite3.Connection:
        connection: sqlite3.Connection = sqlite3.connect(*words, **options)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF not in _HINDERED or not path.is_file():
                raise
            return _look(path, options, error)
        return connection

    def give_up(_: Any, record: ConnectionPoolEntry) -> None:
        if isinstance(record.driver_connection, LookingConnection):
            record.invalidate()

    event.listen(engine, "do_connect", connect)
    event.listen(engine, "checkin", give_up)


def need_writable(connection: Connection) -> None:
    """Raise what stands in the way of writing over a connection, if anything does."""
    driver = connection.connection.driver_connection
    if isinstance(driver, LookingConnection):
        raise driver.why


def has_room(path: Path, needed: int = _LEAST_ROOM) -> bool:
    """Return whether so many bytes are free on the disk on which a file lies or would lie."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= needed


def _look(path: Path, options: dict[str, Any], why: sqlite3.OperationalError) -> sqlite3.Connection:
    log = path.with_name(f"{path.name}-wal")
    has_log = log.is_file() and log.stat().st_size > 0
    rules = "mode=rw" if has_log else "mode=ro&immutable=1"
    place = f"file:{quote(str(path.absolute()))}?{rules}"
    connection: LookingConnection = sqlite3.connect(place, **{**options, "uri": True, "factory": LookingConnection})
    try:
        if has_log:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise why from None
    connection.why = why
    return connection
