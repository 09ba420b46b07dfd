"""A PostgreSQL server for the tests.

The process that runs pytest starts one, of its own, which ends with it, and tells those it starts where it listens.
"""

from __future__ import annotations

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
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
