"""Lets only one process at a time play a tournament: a file lock, which the system frees however its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.tournament.errors import AlreadyRunningError
from engine.text import Text
from ratings.values.tournaments import LockHolder

_PAUSES_S = (0.001, 0.003, 0.01)
_LONGEST = 4096


def home_lock(database: Path) -> Path:
    """Return the path of the lock that a service holds while it runs on the home in which a database lies."""
    return database.parent / "run" / "lock"


def lock_path(database: Path, tournament_id: str) -> Path:
    """Return the path of a tournament's lock, beside its database."""
    return database.with_name(f"{database.name}-{tournament_id}.lock")


def sweep_locks(database: Path) -> int:
    """Remove the locks beside a database whose holders were killed, and return how many they were."""
    swept = 0
    for path in sorted(database.parent.glob(f"{database.name}-*.lock")):
        with suppress(AlreadyRunningError), exclusive(path):
            swept += 1
    return swept


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock at `path` for the block, then remove it. Raises AlreadyRunningError at once if another has it.

    Not inherited by processes started meanwhile, so none of them keeps it when this one is killed.
    """
    descriptor = _acquire(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is still held, or another's new lock would be removed
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            take(descriptor)
            if _is_still_at(path, descriptor):
                _write_owner(descriptor)
                return descriptor
        except BlockingIOError:
            holder = _read(descriptor).pid or "another"
            os.close(descriptor)
            raise AlreadyRunningError(
                Text(
                    "tournaments.process_playing_tournament_now_wait",
                    "process {pid} is playing this tournament now; wait for its end, or stop it and resume",
                    pid=holder,
                )
            ) from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_still_at(path: Path, descriptor: int) -> bool:
    """Return whether the locked file is still the one at `path`: its last holder may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _write_owner(descriptor: int) -> None:
    with suppress(OSError):  # on a full disk it is held all the same, and its holder is only not named
        os.ftruncate(descriptor, 0)
        owner = {"pid": os.getpid(), "host": platform.node(), "since_s": int(time.time())}
        os.pwrite(descriptor, json.dumps(owner).encode(), 0)


def take(descriptor: int) -> None:
    """Lock an open file for this process alone. Raises BlockingIOError if another has it.

    Whoever only looks whether it is held has it for an instant too, so it is tried several times.
    """
    for pause_s in _PAUSES_S:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(pause_s)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def holder_of(path: Path) -> LockHolder | None:
    """Return who holds the lock at `path`, or `None` if nobody does: it is not there, or its holder is dead."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # there is none, or it is another user's, and so is the database
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    except OSError:  # a file system without locks, on which nothing can be played either
        return None
    finally:
        os.close(descriptor)
    return None


def _read(descriptor: int) -> LockHolder:
    try:
        said = json.loads(os.pread(descriptor, _LONGEST, 0))
    except ValueError:
        said = None  # it is just being written
    said = said if isinstance(said, dict) else {}
    since_us = int(said["since_s"] * 1e6) if "since_s" in said else os.fstat(descriptor).st_mtime_ns // 1000
    return LockHolder(said.get("host", platform.node()), said.get("pid"), since_us)
