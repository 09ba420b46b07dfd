"""All that is particular to PostgreSQL.

Where SQLite has one writer at a time, a writer here says which of two kinds it is, by an advisory lock of the database
that it holds to the end of its transaction. Most change little and seldom, and look before they write: they are alone,
as they are in SQLite. Those that play record results all the time: they write together, and where two of them touch the
same thing they take turns by the rows they lock (`SELECT ... FOR UPDATE`, which SQLite ignores).
"""

# ruff: noqa: ARG001 - both dialects have the same signatures

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, PoolProxiedConnection, create_engine, event, text
from sqlalchemy.engine import URL

from engine.translatable import Text
from ratings.errors import BackupError, DatabaseAccessError, RatingsError
from ratings.store.identifiers import storable
from ratings.store.urls import BRIEF_MS, TOLD_MS

if TYPE_CHECKING:
    from psycopg.abc import Buffer

LOCK_TIMEOUT_MS = 10_000
CONNECT_TIMEOUT_S = 10
_SPACE = 0x4B4D41
"""The advisory locks of this program: the first of two numbers, which nobody else will have."""
_WRITERS = 0
_KIND = "arena_writing"
READING: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ"}
"""A transaction that reads sees one consistent view."""
WRITING: Mapping[str, Any] = {_KIND: "pg_advisory_xact_lock"}
"""A transaction that will write is alone among those that write."""
WRITING_TOGETHER: Mapping[str, Any] = {_KIND: "pg_advisory_xact_lock_shared"}
"""A transaction that writes beside others of its kind: it locks the rows that it must not share."""
_OWN_OPTION = "busy_timeout"
"""What a database URL may set: postgresql://host/name?busy_timeout=500 (milliseconds), as one of SQLite."""
_PREPARES = "prepare_threshold"
"""After how many times the driver has a statement prepared; 0: never, as poolers of connections want it."""
GONE_MS = 15_000
"""After so long without a word the other side of a connection is gone, here and on the server.

What was sent and not confirmed says so too: where a network loses everything, keepalives alone would wait for that."""
_ALIVE = {"keepalives": 1, "keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 2}
"""As libpq names it, in seconds; the server would wait for two hours, and hold the locks of whoever is gone."""
_OPTIONS = (
    f"-c jit=off -c cursor_tuple_fraction=1 -c tcp_user_timeout={GONE_MS}"
    " -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2"
)
"""It compiles no query, which takes longer than to run most; cursors are read to their end."""
_OTHER_ORDERS = text(
    "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)"
    " FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
    " JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_collation o ON o.oid = a.attcollation"
    " WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped"
    " AND o.collname <> 'C' ORDER BY 1, 2"
)
_TOOL = "pg_dump"


def is_there(url: URL) -> bool:
    """Return True: whether the server answers is seen when the database is opened."""
    return True


def make_engine(url: URL, *, only_reads: bool = False) -> Engine:
    """Return an engine, without connecting; with `only_reads` one whose transactions the server keeps from writing.

    Raises DatabaseAccessError if the driver is not installed, or if the URL says what it cannot say.
    """
    told = _number(url, _OWN_OPTION)
    arguments: dict[str, Any] = {"application_name": "arena", "connect_timeout": CONNECT_TIMEOUT_S, **_ALIVE}
    arguments |= {"tcp_user_timeout": GONE_MS}
    own = {name: value for name, value in arguments.items() if name not in url.query}
    own["options"] = f"{_OPTIONS} {url.query.get('options', '')}"
    if (threshold := _number(url, _PREPARES)) is not None:
        own[_PREPARES] = threshold or None
    url = url.difference_update_query([_OWN_OPTION, _PREPARES, "options"])
    try:
        engine = create_engine(url, connect_args=own, execution_options={"postgresql_readonly": only_reads})
    except ModuleNotFoundError as error:
        raise DatabaseAccessError(
            Text(
                "{driver} needs the Python package {package}; install kingmaker-arena[postgres]",
                driver=url.drivername,
                package=error.name,
            )
        ) from error
    event.listen(engine, "connect", _adapter())
    engine.update_execution_options(**{TOLD_MS: told})
    event.listen(engine, "begin", partial(_begin, LOCK_TIMEOUT_MS if told is None else told))
    return engine


def _adapter() -> Callable[[Any, object], None]:
    """Return a listener that has a new connection send texts that the server takes: it refuses NUL, as a file does not.

    A bot or its author may have written one. Nothing is looked up by such a text, so nobody misses the character.
    """
    # Imports the driver. Of its two kinds those in Python: one in C would not ask what is written here.
    from psycopg.types.string import StrBinaryDumper, StrDumperUnknown

    class TextDumper(StrDumperUnknown):
        def dump(self, obj: str) -> Buffer | None:
            return super().dump(storable(obj))

    class BinaryDumper(StrBinaryDumper):
        def dump(self, obj: str) -> Buffer | None:
            return super().dump(storable(obj))

    def send_storable(connection: Any, _record: object) -> None:
        # The last that is registered is the usual.
        connection.adapters.register_dumper(str, BinaryDumper)
        connection.adapters.register_dumper(str, TextDumper)

    return send_storable


def _number(url: URL, option: str) -> int | None:
    """Return what a URL says of an option that is a number, or `None` if it says nothing."""
    if option not in url.query:
        return None
    said = str(url.query[option])
    if not (said.isascii() and said.isdigit() and len(said) < 10):
        raise DatabaseAccessError(
            Text("{name}={value} in the database URL is not a number", name=option, value=repr(said))
        )
    return int(said)


def _begin(usual_ms: int, connection: Connection) -> None:
    options = connection.get_execution_options()
    lock = options.get(_KIND)
    if lock is None:
        return
    brief_ms = options.get(BRIEF_MS)
    wait_ms = usual_ms if brief_ms is None else min(brief_ms, usual_ms)
    # Zero would mean to wait for ever.
    connection.exec_driver_sql(
        f"SELECT set_config('lock_timeout', '{max(wait_ms, 1)}', true), {lock}({_SPACE}, {_WRITERS})"
    )


def prepare_fresh(engine: Engine) -> None:
    """Do nothing: all settings are the server's own."""


def finish_schema(connection: Connection) -> None:
    """Have all texts sort by their code points, as Python and SQLite sort them, whatever the server's language is."""
    for table, column, kind in connection.execute(_OTHER_ORDERS).all():
        connection.exec_driver_sql(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE {kind} COLLATE "C"')


def mark(connection: PoolProxiedConnection) -> int:
    """Return a number that changes when another connection has written; also when one to another database has.

    Two equal snapshots of the server's transactions show the same rows.
    """
    cursor = connection.cursor()
    cursor.execute("SELECT pg_current_snapshot()::text")
    (found,) = cursor.fetchone() or ("",)
    cursor.close()
    connection.rollback()
    return hash(found)


def translate(error: BaseException, url: URL) -> RatingsError | None:
    """Return what a driver's error means to people, with the remedy, or `None` if it is not one of the server."""
    # Imported by whoever has a server, and an error of it.
    from ratings.store import postgresql_errors

    return postgresql_errors.translate(error, url)


def backup(engine: Engine, target: Path) -> None:
    """Have `pg_dump` copy the database into a new file, in its own format, while others go on writing.

    Only its owner may read it, as the server lets only its users read what it holds.
    `pg_restore` reads it. Raises BackupError: the file exists, its directory does not, the tool is not installed or
    failed.
    """
    if target.exists():
        raise BackupError(Text("{file} exists already; name a new file", file=target))
    if not target.parent.is_dir():
        raise BackupError(Text("there is no directory {path}; create it first", path=target.parent))
    tool = shutil.which(_TOOL)
    if tool is None:
        raise BackupError(
            Text(
                "a database on a server is copied by pg_dump, which is not installed here; install Debian's "
                "postgresql-client, or run it where the server is"
            )
        )
    # The copy gets its name only when it is complete, and by a link, which never replaces a file made meanwhile.
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as directory:
        whole = Path(directory) / "copy.dump"
        whole.touch(mode=0o600)
        _dump(tool, engine.url, whole)
        try:
            os.link(whole, target)
        except FileExistsError as error:
            raise BackupError(Text("{file} exists already; name a new file", file=target)) from error


def problems(connection: Connection) -> Iterator[str]:
    """Yield nothing: the server checks its pages and references itself."""
    yield from ()


def interrupt(driver: Any) -> None:
    """Have the statement fail that runs on a connection of the driver, in another thread."""
    driver.cancel()


def _dump(tool: str, url: URL, whole: Path) -> None:
    # The password goes by the environment: others on this machine can read command lines.
    password = url.password or url.query.get("password")
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    plain = url._replace(drivername="postgresql", password=None).difference_update_query(["busy_timeout", "password"])
    place = plain.render_as_string(hide_password=False)
    words = [tool, "--format=custom", "--no-password", f"--file={whole}", f"--dbname={place}"]
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1] if lines else done.returncode
        raise BackupError(Text("pg_dump failed ({why}); nothing was kept", why=why))
    with whole.open("rb") as written:
        os.fsync(written.fileno())
