"""The directories of this user's arenas: those that last as long as a process, and the cache.

A runtime directory is removed at the end of its process; `sweep` removes those that crashes left behind.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.hosting.errors import RuntimeDirectoryError
from arena.hosting.removal import remove_tree
from engine.translatable import Text, placed

MAX_SOCKET_PATH = 107 if sys.platform == "linux" else 103
"""The longest path of a unix socket in bytes (sun_path has 108 or, on macOS, 104, including its zero)."""
SOCKET_NAME = "play"
SCRATCH_NAME = "scratch"
"""The subdirectory for the working directories of bots, and for whatever else may go when nobody holds the lock."""
_PREFIX = "kingmaker-arena-"
_LOCK = "lock"
_UNHELD_LOCK = "lock.new"
_MAGIC = b"A runtime directory of Kingmaker Arena.\n"


def new_socket_path(directory: Path) -> Path:
    """Return a new path in a runtime directory for the socket of one bot; another bot cannot guess it."""
    return directory / f"{SOCKET_NAME}{secrets.token_urlsafe(3)}"  # short: the whole path is bounded


def is_utf8(path: Path) -> bool:
    """Return whether the name of a path is UTF-8, as gRPC must have it of a socket."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def find_base() -> Path:
    """Return a directory for sockets. Raises RuntimeDirectoryError if every path is too long for one, or not UTF-8."""
    for base in (Path(tempfile.gettempdir()), Path("/tmp")):
        longest = len(os.fsencode(new_socket_path(base / f"{_PREFIX}12345678")))
        is_fit = longest <= MAX_SOCKET_PATH and is_utf8(base)
        if is_fit and base.is_dir() and os.access(base, os.W_OK | os.X_OK):
            return base
    why = Text(
        "the path of {path} is too long for a unix socket ({most} bytes) or not UTF-8, and /tmp cannot be written; set "
        "TMPDIR to a directory with a short path",
        path=tempfile.gettempdir(),
        most=MAX_SOCKET_PATH,
    )
    raise RuntimeDirectoryError(why)


@contextmanager
def runtime_directory(base: Path | None = None) -> Iterator[Path]:
    """Make a new directory of mode 0700 and remove it at the end; until then it is locked against `sweep`."""
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base or find_base()))
    # The lock file is named only when the lock is held, so that a sweep at this moment does not find it free.
    unheld = directory / _UNHELD_LOCK
    lock = os.open(unheld, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(lock, _MAGIC)
        unheld.rename(directory / _LOCK)
        yield directory
    finally:
        remove_tree(str(directory))
        os.close(lock)


@contextmanager
def scratch_directory(base: Path | None = None) -> Iterator[Path]:
    """Give an empty directory that other users may read, and remove it at the end with all that is in it.

    If this process is killed before, a later `sweep` removes it.
    """
    with runtime_directory(base) as directory:
        scratch = directory / SCRATCH_NAME
        scratch.mkdir()
        for readable in (directory, scratch):
            readable.chmod(0o755)
        yield scratch


def sweep(base: Path | None = None) -> list[Path]:
    """Remove our directories that nobody holds any more, and return them.

    A directory that contains anything which is not ours is kept.
    """
    removed = []
    for directory in sorted((base or find_base()).glob(f"{_PREFIX}*")):
        with suppress(OSError):
            if directory.is_symlink() or directory.stat().st_uid != os.getuid() or not _is_stale(directory / _LOCK):
                continue
            remove_tree(str(directory / SCRATCH_NAME))
            for path in directory.glob(f"{SOCKET_NAME}*"):
                path.unlink()
            if foreign := {entry.name for entry in directory.iterdir()} - {_LOCK}:
                raise OSError(placed(directory, Text("holds {what}", what=sorted(foreign)[0])))
            (directory / _LOCK).unlink()  # last, so that the next sweep tries again
            directory.rmdir()
            removed.append(directory)
    return removed


def _is_stale(lock: Path) -> bool:
    """Return whether a lock of ours can be taken. Raises OSError if there is none: new, or not ours."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if os.read(descriptor, len(_MAGIC) + 1) != _MAGIC:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def cache_directory() -> Path:
    """Return the directory, which need not exist. What lies in it may vanish at any time."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kingmaker-arena"
