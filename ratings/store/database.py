"""The handle of a database: open it, upgrade it, back it up.

Errors of the driver come out as `ratings.errors`, on one line with the remedy.

SQLite goes on with the file that it has opened, whatever lies at its path meanwhile: pages that show a database for
days would show one that was long deleted, and a run would record for hours what nobody finds afterwards. So whoever has
one open notices that its file was taken away or replaced.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import sqlalchemy
import sqlalchemy.exc
from sqlalchemy import Engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from engine.translatable import Text
from ratings.errors import DatabaseAccessError, DatabaseGoneError, RatingsError
from ratings.store import schema
from ratings.store.dialects import dialect_of, translated
from ratings.store.schema import SchemaChange
from ratings.store.sqlite import look_where_nothing_can_be_written
from ratings.store.urls import BRIEF_MS, TOLD_MS

_MOST_RESCUED = 9
_BACKENDS = ("sqlite", "postgresql")
_FILE = "file"


class Database:
    """An open database. Whoever opened it closes it."""

    def __init__(self, engine: sqlalchemy.Engine, file: KeptFile | None = None) -> None:
        self.engine = engine
        """For this package only."""
        self._file = file
        self._marking = threading.Lock()
        self._marker: sqlalchemy.PoolProxiedConnection | None = None
        self._marked: tuple[int, int] | None = None
        """The file that the marker reads."""

    @property
    def url(self) -> URL:
        """Return where the database lies."""
        return self.engine.url

    @property
    def is_on_server(self) -> bool:
        """Return whether a server keeps it, to which several machines may write."""
        return self.url.get_backend_name() != "sqlite"

    @property
    def path(self) -> Path | None:
        """Return the file of an SQLite database, or `None` for one in memory or on a server."""
        name = self.url.database
        is_file = self.url.get_backend_name() == "sqlite" and name not in (None, "", ":memory:")
        return Path(str(name)) if is_file else None

    def mark(self) -> int | None:
        """Return a number that is another one as soon as somebody has written to the database; it costs nearly nothing.

        So it is when another file lies in its place. It is `None` if there is no telling, or no file any more. It is of
        use only in this process, and only for whoever reads: what this very object writes changes it, too.
        """
        dialect = dialect_of(self.url)
        if self.is_on_server:
            with translated(self.url), closing(self.engine.raw_connection()) as connection:
                return dialect.mark(connection)
        if self.path is None:
            return None
        with self._marking, translated(self.url):
            file = identity_of(self.path)
            if file != self._marked:
                self._forget_marker()
            if file is None:
                return None
            if self._marker is None:
                self._marker = self.engine.raw_connection()  # one for ever: two connections count differently
                self._marked = file
            return hash((file, dialect.mark(self._marker)))

    @property
    def patience_s(self) -> float | None:
        """Return how many seconds its URL says to wait for another's writing, or `None` if it says nothing."""
        told = self.engine.get_execution_options().get(TOLD_MS)
        return None if told is None else int(told) / 1000

    def brief(self, most_ms: int) -> Database:
        """Return this database for whoever would rather ask again than wait longer for another to end its writing.

        It has the same connections, which close with this one.
        """
        return Database(self.engine.execution_options(**{BRIEF_MS: most_ms}), self._file)

    def need_file(self) -> None:
        """Raise DatabaseGoneError if what was opened does not lie at its place any more; it may not be known."""
        if self._file is not None:
            self._file.check()

    def close(self) -> None:
        """Close all connections."""
        with self._marking:
            self._forget_marker()
        self.engine.dispose()

    def _forget_marker(self) -> None:
        if self._marker is not None:
            self._marker.close()
            self._marker = None


def open_database(url_or_path: str | Path, *, makes: bool = True, copies: bool = False) -> Database:
    """Open the database at a path, or of a URL such as `postgresql://host/name`.

    A fresh or empty one is migrated, or raises EmptyDatabaseError unless it `makes` tables. Raises SchemaVersionError,
    NotADatabaseError, DatabaseAccessError, and UnfinishedCopyError for a copy that was cut off, unless it `copies`,
    which goes on.
    """
    database = Database(_make_engine(url_or_path))
    if database.path is None:
        return _open(database.engine, makes=makes, copies=copies)
    file = KeptFile(database.path)
    file.keep(database.engine)
    look_where_nothing_can_be_written(database.engine, database.path)  # connects, so the file is looked for before
    _open(database.engine, makes=makes, copies=copies)
    file.note()
    return Database(database.engine, file)


def open_for_reading(url_or_path: str | Path) -> Database:
    """Open a database that is there and never write to it. Raises like `open_database`, also where there is none.

    When another one lies at its path later, that is read.
    """
    if not is_there(url_or_path):
        raise DatabaseAccessError(Text("there is no database at {path}; name one that is there", path=url_or_path))
    database = Database(_make_engine(url_or_path, only_reads=True))
    if (path := database.path) is not None and path.is_file():
        if not path.stat().st_size:
            raise DatabaseAccessError(
                Text("{path} is an empty file; name a database that something was played in", path=path)
            )
        follow_file(database.engine, path, schema.HEAD)
        look_where_nothing_can_be_written(database.engine, path)
    return _open(database.engine, makes=False)


def _open(engine: sqlalchemy.Engine, *, makes: bool = True, copies: bool = False) -> Database:
    try:
        with translated(engine.url):
            schema.ensure(engine, makes=makes, copies=copies)
    except sqlalchemy.exc.OperationalError as error:
        engine.dispose()
        raise DatabaseAccessError(
            Text("{path} cannot be opened: {why}", path=repr(engine.url), why=str(error.orig).splitlines()[0])
        ) from error
    except BaseException:
        engine.dispose()
        raise
    return Database(engine)


def upgrade(url_or_path: str | Path) -> SchemaChange:
    """Bring the database to this program's schema, in one transaction. Raises like `open_database`."""
    engine = _make_engine(url_or_path)
    try:
        with translated(engine.url):
            return schema.upgrade(engine)
    finally:
        engine.dispose()


def backup(database: Database, target: Path) -> None:
    """Copy the database into the new file `target`, while others go on writing. Raises BackupError."""
    with translated(database.url):
        dialect_of(database.url).backup(database.engine, target)


def rescue(database: Database) -> Path | None:
    """Copy what is left of a database whose file was removed while it is open, and return where it lies, if it can be.

    That is beside the place of the file; nothing that lies there is replaced.
    """
    if database.path is None:
        return None
    for target in _places_of_rescue(database.path):
        with suppress(RatingsError, sqlalchemy.exc.DBAPIError, OSError):
            backup(database, target)
            return target
    return None


def rescued(path: Path) -> Path | None:
    """Return the last file that `rescue` left of the database at a path, if any lies there."""
    return next((place for place in reversed(_places_of_rescue(path)) if place.exists()), None)


def _places_of_rescue(path: Path) -> list[Path]:
    return [path.with_name(f"{path.name}.rescued-{number}") for number in range(1, _MOST_RESCUED + 1)]


def make_usable(database: Database) -> None:
    """Have a copy that `backup` made behave like a database that was in use from the beginning."""
    with translated(database.url):
        dialect_of(database.url).prepare_fresh(database.engine)


def schema_revision(database: Database) -> str:
    """Return the revision of the database's schema."""
    with translated(database.url):
        return schema.revision(database.engine) or schema.HEAD


def knows_schema(revision: str) -> bool:
    """Return whether this program can use, or upgrade, a database of that schema."""
    return revision in schema.REVISIONS


def is_there(url_or_path: str | Path) -> bool:
    """Return whether the database exists, without making it; one on a server counts as existing until it is opened.

    Raises DatabaseAccessError if no database could lie there.
    """
    url = database_url(url_or_path)
    return dialect_of(url).is_there(url)


def _make_engine(url_or_path: str | Path, *, only_reads: bool = False) -> sqlalchemy.Engine:
    url = database_url(url_or_path)
    return dialect_of(url).make_engine(url, only_reads=only_reads)


def database_url(url_or_path: str | Path) -> URL:
    """Return the URL of a database given as URL or as the path of an SQLite file. Raises DatabaseAccessError."""
    if isinstance(url_or_path, Path) or "://" not in url_or_path:
        if not str(url_or_path):
            raise DatabaseAccessError(Text("the database has no name; give a path, for example arena.db"))
        return URL.create("sqlite", database=str(url_or_path))
    try:
        url = make_url(url_or_path)
        url = url.set(drivername=url.drivername.lower())
        if url.drivername == "postgres":  # as many services write it
            url = url.set(drivername="postgresql")
        if url.get_backend_name() not in _BACKENDS:
            raise DatabaseAccessError(
                Text(
                    "an arena is kept in SQLite or PostgreSQL, not in {kind}; write a path, or postgresql://HOST/NAME",
                    kind=url.get_backend_name(),
                )
            )
        url.get_dialect()
    except (sqlalchemy.exc.ArgumentError, ValueError) as error:
        raise DatabaseAccessError(
            Text("{url} is no database URL; write postgresql://HOST/NAME, or the path of a file", url=repr(url_or_path))
        ) from error
    except ModuleNotFoundError as error:
        raise DatabaseAccessError(
            Text("{what} needs the Python package {name}; install it", what=repr(url_or_path), name=error.name)
        ) from error
    return url


def follow_file(engine: Engine, path: Path, revision: str) -> None:
    """Have every new connection of an engine read what lies at the path then, if it has that revision of the schema.

    Otherwise, and while there is nothing, connecting raises DatabaseAccessError.
    """
    first = identity_of(path)

    def need_file(*_: Any) -> None:
        if identity_of(path) is None:
            raise DatabaseAccessError(Text("{path} is not there any more; put a database there, and go on", path=path))

    def note_file(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        entry.info[_FILE] = identity_of(path)
        if entry.info[_FILE] != first and _revision(connection) != revision:
            raise DatabaseAccessError(
                Text("{path} was replaced by something that cannot be read; start this again", path=path)
            )

    def compare_file(_: sqlite3.Connection, entry: ConnectionPoolEntry, _proxy: Any) -> None:
        if entry.info.get(_FILE) != identity_of(path):
            raise DisconnectionError  # the pool connects again

    event.listen(engine, "do_connect", need_file)
    event.listen(engine, "connect", note_file)
    event.listen(engine, "checkout", compare_file)


class KeptFile:
    """The file of a database that is written to: nothing begins, and nothing is committed, once it is another one.

    Connections that are open stay so: they hold all that is left of a file that was removed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first: tuple[int, int] | None = None

    def keep(self, engine: Engine) -> None:
        """Have beginning and connecting look first, once the file is noted."""
        event.listen(engine, "do_connect", self.check)
        event.listen(engine, "begin", self.check, insert=True)  # before the database is told to begin

    def note(self) -> None:
        """Take the file that lies at the path now for the one that is to stay there."""
        self._first = identity_of(self._path)

    def check(self, *_: Any) -> None:
        """Raise DatabaseGoneError if it is not there any more, or another one is."""
        now = identity_of(self._path)
        if self._first is None or now == self._first:
            return
        if now is None:
            raise DatabaseGoneError(
                Text("{path} was taken away while it was in use; nothing is recorded there any more", path=self._path)
            )
        raise DatabaseGoneError(
            Text(
                "{path} was replaced by another file while it was in use; nothing is recorded there any more",
                path=self._path,
            )
        )


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one at the same path, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _revision(connection: sqlite3.Connection) -> str:
    try:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error:
        return ""
    return "" if found is None else str(found[0])
