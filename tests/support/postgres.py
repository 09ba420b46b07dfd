"""A PostgreSQL server for the tests, and databases on it in place of files.

The process that runs pytest starts one, of its own, which ends with it, and tells those it starts where it listens.

While `in_place_of_files` is open, whatever opens the database at a path of a file opens one on the server: the file
holds its name. A copy of the file is a copy of the database, made when it is first opened. Processes that are started
meanwhile do the same as soon as they import `tests`.

To make a database takes a fifth of a second, to empty one nothing; so one whose tables were not changed is used again.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    import psycopg

URL = "KMA_TEST_POSTGRES"
"""The variable with the URL of a server on which databases may be made, as its superuser."""
_USER = "postgres"
_PR_SET_PDEATHSIG = 1
_PATIENCE_S = 60.0
_QUICK = ("fsync=off", "full_page_writes=off", "max_connections=300", "shared_buffers=64MB")
DURABLE = _QUICK[2:]
"""The settings of a server that keeps what it wrote, as they usually do."""


def programs() -> Path | None:
    """The directory of the newest server that is installed, or `None`."""
    places = [Path(found).parent for found in [shutil.which("initdb")] if found]
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    places += [path.parent for path in reversed(versions)]
    return next((place for place in places if (place / "postgres").exists() and (place / "initdb").exists()), None)


def why_not() -> str:
    """Why nothing is tested on a server, or an empty text."""
    if os.environ.get(URL):
        return ""
    if programs() is None:
        return "PostgreSQL is not installed (Debian: apt install postgresql)"
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError:
        return "the Python package psycopg is not installed"
    if os.geteuid() == 0 and _account() is None:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def _account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(_USER)
    except KeyError:
        return None


class Server:
    """A server that listens on this machine alone and can be stopped and started."""

    def __init__(self, settings: Sequence[str] = _QUICK) -> None:
        """Without other `settings` it is quick, and loses what it wrote in a power cut; see DURABLE."""
        self._settings = settings
        self.directory = Path(tempfile.mkdtemp(prefix="kma-postgres-", dir="/tmp"))
        self.port = _free_port()
        self._account = _account() if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        self._said_before = 0
        if self._account is not None:
            os.chown(self.directory, self._account.pw_uid, self._account.pw_gid)
        made = self._run("initdb", "-D", str(self.data), "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        assert made.returncode == 0, made.stderr.decode()

    @property
    def data(self) -> Path:
        return self.directory / "data"

    @property
    def url(self) -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/postgres"

    def _run(self, name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        found = programs()
        assert found is not None
        return subprocess.run([found / name, *words], capture_output=True, check=False, cwd="/", **self._as_user())

    def _as_user(self) -> dict[str, Any]:
        if self._account is None:
            return {}
        return {"user": self._account.pw_uid, "group": self._account.pw_gid, "extra_groups": []}

    def start(self, *, answers: bool = True) -> None:
        """Start it, and wait until it `answers`, or until it refuses to."""
        found = programs()
        assert found is not None
        words = [str(found / "postgres"), "-D", str(self.data), "-p", str(self.port), "-k", str(self.directory)]
        for setting in (*self._settings, "listen_addresses=127.0.0.1"):
            words += ["-c", setting]
        self._said_before = len(self._log())
        with (self.directory / "log").open("ab") as log:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                words, stdout=log, stderr=log, cwd="/", preexec_fn=_die_with_parent, **self._as_user()
            )
        self._process = process
        deadline = time.monotonic() + _PATIENCE_S
        while not (self.answers() if answers else self.listens()):
            assert process.poll() is None, (self.directory / "log").read_text()
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)

    def answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def listens(self) -> bool:
        """Whether it is ready, even if it lets nobody in."""
        return "ready to accept connections" in self._log()[self._said_before :]

    def _log(self) -> str:
        log = self.directory / "log"
        return log.read_text("utf-8", "replace") if log.exists() else ""

    def stop(self, number: int = signal.SIGINT) -> None:
        """End it: at once, cutting every connection, or as another signal says."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None

    def close(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.directory, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT, 0, 0, 0)


def run_sql(*statements: str) -> list[tuple[object, ...]]:
    """Execute statements on the server, outside of transactions, and return the rows of the last one."""
    with superuser(os.environ[URL]) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def superuser(url: str) -> psycopg.Connection[Any]:
    """Connect to a server, outside of transactions."""
    import psycopg

    return psycopg.connect(url, autocommit=True)


def connect(name: str) -> psycopg.Connection[Any]:
    """Connect to a database on the server, outside of transactions."""
    return superuser(url_of(name))


def url_of(name: str) -> str:
    """The URL of a database on the server."""
    return os.environ[URL].rpartition("/")[0] + f"/{name}"


def new_database() -> str:
    """Make a database without a table, and return its name."""
    name = f"kma_{uuid.uuid4().hex[:16]}"
    run_sql(f"CREATE DATABASE {name} TEMPLATE template0")
    return name


PREFIX = "KMA_TEST_POSTGRES_PREFIX"
"""The variable with which the names of databases begin that are dropped when their test ends."""
_FORM = """
    SELECT md5(string_agg(concat_ws(' ', c.relname, c.relkind, a.attname, a.atttypid, a.attcollation, a.attnotnull), ','
                          ORDER BY c.relname, a.attnum))
    FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace
"""
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
_SEQUENCES = "SELECT sequencename, start_value FROM pg_sequences WHERE schemaname = 'public'"
_KEPT = "alembic_version"
_free: list[str] = []
_lent: list[str] = []


@cache
def migrated() -> str:
    """The name of a database that the migrations made, to be copied; one for each process."""
    from ratings.store.database import open_database

    name = f"kma_template_{uuid.uuid4().hex[:12]}"
    run_sql(f"CREATE DATABASE {name}")
    open_database(url_of(name)).close()
    return name


@cache
def _form_of_migrated() -> str:
    with connect(migrated()) as connection:
        return _form(connection)


def _form(connection: psycopg.Connection[Any]) -> str:
    found = connection.execute(_FORM.encode()).fetchone()
    is_ours = connection.execute(f"SELECT to_regclass('{_KEPT}') IS NOT NULL".encode()).fetchone() == (True,)
    triggers = connection.execute(b"SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal").fetchone()
    revision = connection.execute(f"SELECT * FROM {_KEPT}".encode()).fetchall() if is_ours else []
    return f"{found} {triggers} {revision}"


def _filled(connection: psycopg.Connection[Any]) -> list[str]:
    """The tables that have rows; most of a test's database have none."""
    tables = [table for (table,) in connection.execute(_TABLES.encode()).fetchall() if table != _KEPT]
    each = [f"""SELECT '{table}' WHERE EXISTS (SELECT FROM "{table}")""" for table in tables]
    return [table for (table,) in connection.execute(" UNION ALL ".join(each).encode()).fetchall()]


def _make(template: str) -> str:
    name = f"{os.environ[PREFIX]}_{uuid.uuid4().hex[:12]}"
    run_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
    return name


def _fresh() -> str:
    name = _free.pop() if _free else _make(migrated())
    _lent.append(name)
    return name


def _copy(source: str) -> str:
    """Copy a database, and return the name of the copy."""
    with connect(source) as there:
        if _form(there) != _form_of_migrated():
            return _make(source)
        target = _fresh()
        with connect(target) as here, here.transaction():
            here.execute("SET LOCAL session_replication_role = replica")
            for table in _filled(there):
                _copy_table(there, here, table)
            for sequence, _ in there.execute(_SEQUENCES.encode()).fetchall():
                last = there.execute(f'SELECT last_value, is_called FROM "{sequence}"'.encode()).fetchone()
                assert last is not None
                here.execute("SELECT setval(%s, %s, %s)", (f'"{sequence}"', *last))
    return target


def _copy_table(there: psycopg.Connection[Any], here: psycopg.Connection[Any], table: str) -> None:
    with (
        there.cursor().copy(f'COPY "{table}" TO STDOUT (FORMAT BINARY)'.encode()) as rows,
        here.cursor().copy(f'COPY "{table}" FROM STDIN (FORMAT BINARY)'.encode()) as into,
    ):
        for part in rows:
            into.write(part)


def _empty(name: str) -> bool:
    """Take all rows out of a database, and return whether it can be used again."""
    run_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    with connect(name) as connection:
        if _form(connection) != _form_of_migrated():
            return False
        with connection.transaction():
            connection.execute("SET LOCAL session_replication_role = replica")
            for table in _filled(connection):
                connection.execute(f'DELETE FROM "{table}"'.encode())
            for sequence, start in connection.execute(_SEQUENCES.encode()).fetchall():
                connection.execute("SELECT setval(%s, %s, false)", (f'"{sequence}"', start))
    return True


@contextlib.contextmanager
def lent_for(prefix: str) -> Iterator[None]:
    """Empty what is made in the block when it ends, for whoever comes next, or drop it."""
    outer, _lent[:] = list(_lent), []
    with mock.patch.dict(os.environ, {PREFIX: prefix}):
        yield
    kept = [name for name in _lent if _empty(name)]
    _lent[:] = outer
    _free.extend(kept)
    for (name,) in run_sql(f"SELECT datname FROM pg_database WHERE starts_with(datname, '{prefix}_')"):
        if name not in kept:
            run_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def make_empty(path: Path) -> None:
    """Have an empty database stand for a file that is not there yet."""
    path.write_text(f"{path.resolve()}\n{_make('template0')}")


def _url_at(path: Path) -> str:
    """The URL that stands for a file, whose database is made if there is none, or if it is another file's."""
    home, _, name = path.read_text().partition("\n") if path.exists() else ("", "", "")
    if home != str(path.resolve()):
        name = _copy(name) if name else _fresh()
        path.write_text(f"{path.resolve()}\n{name}")
    return url_of(name)


@contextlib.contextmanager
def in_place_of_files(prefix: str) -> Iterator[None]:
    """Have databases on the server stand for files, here and in processes that are started meanwhile."""
    with mock.patch.dict(os.environ, {PREFIX: prefix}), stand_for_files():
        yield


@contextlib.contextmanager
def stand_for_files() -> Iterator[None]:
    """Do the same in this process alone."""
    from ratings.store import database

    plain = database.database_url

    def place(url_or_path: str | Path) -> object:
        is_path = isinstance(url_or_path, Path) or ("://" not in url_or_path and url_or_path not in ("", ":memory:"))
        is_file = is_path and Path(url_or_path).parent.is_dir() and not Path(url_or_path).is_dir()
        return plain(_url_at(Path(url_or_path)) if is_file else url_or_path)

    with mock.patch.object(database, "database_url", place):
        yield
