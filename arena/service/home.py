"""The directory that a service lives in: what lies where, made on the first start, open to its user alone.

A file lock lets only one service run in it; the system frees the lock however its holder dies.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.app.bot_store import store_of
from arena.hosting.user_directories import is_utf8
from arena.service.startup_errors import HomeError, HomeHeldError
from arena.tournament.locks import home_lock, take
from arena.tournament.seed_key import KEY_SUFFIX
from engine.os_errors import os_error_text
from engine.translatable import Text
from ratings.store.urls import keep_password

PRIVATE = 0o700
_SECRET = 0o600
_LONGEST_SOCKET_PATH = 107
"""The bytes that Linux has room for in the path of a unix socket."""
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of everything that a service keeps."""

    directory: Path
    url: str = ""
    """The database on a server that it works on, without a password; empty for the file in the directory."""

    @property
    def is_on_server(self) -> bool:
        """Return whether its database lies on a server, which other services may share."""
        return bool(self.url)

    @property
    def book(self) -> str:
        """Return the database as it is opened: its path or URL."""
        return self.url or str(self.database)

    @property
    def has_book(self) -> bool:
        """Return whether it ever had a database; of one on a server nobody knows before it is asked."""
        return self.is_on_server or self.database.is_file()

    @property
    def settings_file(self) -> Path:
        """Return the file of the settings."""
        return self.directory / "settings.toml"

    @property
    def database(self) -> Path:
        """Return the file of the book of record, if that does not lie on a server."""
        return self.directory / "arena.db"

    @property
    def store(self) -> Path:
        """Return the directory of the versions, by content hash; services that share a database share it, too."""
        return store_of(self.url).root if self.url else self.directory / "arena.bots"

    @property
    def seed_key(self) -> Path:
        """Return the file of the key under which the seeds of tournaments work."""
        return self.store.with_suffix(KEY_SUFFIX)

    @property
    def builds(self) -> Path:
        """Return the directory for what build commands made."""
        return self.directory / "builds"

    @property
    def uploads(self) -> Path:
        """Return the directory for uploads that are not finished."""
        return self.directory / "uploads"

    @property
    def tls(self) -> Path:
        """Return the directory for certificate and key."""
        return self.directory / "tls"

    @property
    def run(self) -> Path:
        """Return the directory for what only a running service needs."""
        return self.directory / "run"

    @property
    def socket(self) -> Path:
        """Return the socket on which whoever can connect is the organiser."""
        return self.run / "owners.sock"

    @property
    def seats(self) -> Path:
        """Return the socket on which the seats of people are taken."""
        return self.run / "seats.sock"

    @property
    def lock(self) -> Path:
        """Return the file that the one service on this home holds."""
        return home_lock(self.database)

    @property
    def logs(self) -> Path:
        """Return the directory for the service's own logs."""
        return self.directory / "logs"


def with_book(home: Home, url: str) -> Home:
    """Return the home with the database that its settings name, if they name one; its password is kept apart."""
    return replace(home, url=keep_password(url))


def make_home(directory: Path, settings_text: str) -> Home:
    """Make what is missing of a home, with `settings_text` as its settings file, and return it.

    Raises HomeError if it cannot be made, belongs to somebody else, or cannot be written to.
    """
    if directory == Path():
        raise HomeError(Text("the home has no name; give a directory of its own with --home"))
    home = Home(directory.absolute())
    try:
        for place in (home.directory, home.store, home.builds, home.uploads, home.tls, home.run, home.logs):
            place.mkdir(mode=PRIVATE, parents=place is home.directory, exist_ok=True)
        _check_place(home)
        # Secrets, sockets and strangers' programs lie here.
        for private in (home.directory, home.tls, home.run):
            if stat.S_IMODE(private.stat().st_mode) != PRIVATE:
                private.chmod(PRIVATE)
        with suppress(FileExistsError):
            descriptor = os.open(home.settings_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _SECRET)
            with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                opened.write(settings_text)
    except FileExistsError as error:
        raise HomeError(
            Text(
                "{path} is a file, where a directory of the home is to be; give another --home",
                path=error.filename or home.directory,
            )
        ) from error
    except OSError as error:
        raise HomeError(
            Text(
                "the home {directory} cannot be used: {why}: {path}; give another --home",
                directory=home.directory,
                why=os_error_text(error),
                path=error.filename or home.directory,
            )
        ) from error
    return home


def _check_place(home: Home) -> None:
    """Raise HomeError if the directory of a home belongs to somebody else, or cannot hold what a home holds."""
    owner = home.directory.stat().st_uid
    if owner != os.geteuid():
        raise HomeError(
            Text(
                "{directory} belongs to user {user}; run as that user, or give another --home",
                directory=home.directory,
                user=owner,
            )
        )
    if not os.access(home.directory, os.R_OK | os.W_OK | os.X_OK):
        raise HomeError(
            Text(
                "{directory} cannot be written to; change its permissions, or give another --home",
                directory=home.directory,
            )
        )
    if len(os.fsencode(home.socket)) > _LONGEST_SOCKET_PATH:
        raise HomeError(
            Text(
                "{socket} is too long for a socket by {count} bytes; give a --home with a shorter path",
                socket=home.socket,
                count=len(os.fsencode(home.socket)) - _LONGEST_SOCKET_PATH,
            )
        )
    if not is_utf8(home.socket):
        raise HomeError(
            Text("{socket} is not UTF-8, as a socket must be; give a --home with another path", socket=home.socket)
        )


@dataclass(frozen=True, slots=True)
class HomeLock:
    """The lock while it is held."""

    descriptor: int
    since_s: int

    def publish(self, addresses: Sequence[str]) -> None:
        """Write where this service listens, for whoever finds the lock held."""
        text = json.dumps({"pid": os.getpid(), "since_s": self.since_s, "addresses": list(addresses)})
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, text.encode(), 0)


@contextmanager
def held(path: Path) -> Iterator[HomeLock]:
    """Hold the lock of a home for the block. Raises HomeHeldError, which says who has it, at once.

    Not inherited by processes started meanwhile, so none of them keeps it when this one is killed.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            take(descriptor)
        except BlockingIOError:
            said = _read(descriptor)
            who = f"process {said['pid']}" if "pid" in said else "another process"
            since = (
                f" since {datetime.fromtimestamp(said['since_s'], UTC):%Y-%m-%d %H:%M:%S} UTC"
                if "since_s" in said
                else ""
            )
            where = f" at {', '.join(said['addresses'])}" if said.get("addresses") else ""
            raise HomeHeldError(
                Text(
                    "{path} is served already, by {who}; stop that one, or give another --home",
                    path=path.parent.parent,
                    who=f"{who}{since}{where}",
                )
            ) from None
        lock = HomeLock(descriptor, int(time.time()))
        lock.publish([])
        yield lock
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def holder_of(path: Path) -> dict[str, Any] | None:
    """Return what the service that holds the lock says of itself: pid, since_s, addresses; `None` if nobody does."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


def _read(descriptor: int) -> dict[str, Any]:
    try:
        said = json.loads(os.pread(descriptor, _LONGEST, 0))
    except ValueError:
        return {}  # it is just being written
    return said if isinstance(said, dict) else {}
