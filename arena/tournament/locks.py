"""Who plays a tournament now: a file lock and a lease let one process at a time play it, until it ends or dies."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from arena.tournament.errors import AlreadyRunningError
from engine.translatable import Text
from ratings.store import advisory_lock as server_lock
from ratings.store.advisory_lock import ServerLock
from ratings.store.database import Database
from ratings.values.tournament_incidents import LockHolder

SERVICE = "service"
"""The name of the lock of a server that the service has which looks after what must not be done twice."""
REMOTE = "remote"
"""The name of the lock that the service has which takes remote bots and people, and plays everything with them."""
Keep: TypeAlias = Callable[[], None]
"""Looks after a lock that may be lost, by a server or because its file is removed: takes it again, or raises
AlreadyRunningError if another has it now."""
_PAUSES_S = (0.001, 0.003, 0.01)
_LONGEST = 4096


@contextmanager
def hold(database: Database, tournament_id: str) -> Iterator[Keep]:
    """Have a tournament played by nobody else during the block, on this machine or on another.

    Raises AlreadyRunningError at once if somebody plays it; DatabaseLostError.
    """
    if database.is_on_server:
        with _held_by_server(ServerLock(database, tournament_id)) as keep:
            yield keep
    elif database.path is None:  # in memory, where nobody else can be
        yield _nothing
    else:
        with exclusive(lock_path(database.path.resolve(), tournament_id)) as keep:
            yield keep


@contextmanager
def _held_by_server(lock: ServerLock) -> Iterator[Keep]:
    def keep() -> None:
        if not lock.keep():
            holder = lock.holder()
            raise AlreadyRunningError(
                Text(
                    "process {pid} on {host} is playing this tournament now; wait for its end, or stop it and resume",
                    pid="another" if holder is None or holder.pid is None else str(holder.pid),
                    host="another machine" if holder is None or not holder.host else holder.host,
                )
            )

    keep()
    try:
        yield keep
    finally:
        lock.free()


def _nothing() -> None:
    """Keep what cannot be lost."""


def player_of(database: Database, tournament_id: str) -> LockHolder | None:
    """Return who plays a tournament that is not over, or `None` if nobody does: no dead process holds a lock."""
    if database.is_on_server:
        return server_lock.holder_of(database, tournament_id)
    return None if database.path is None else holder_of(lock_path(database.path.resolve(), tournament_id))


def service_of(database: Database, *, remote: bool = False) -> LockHolder | None:
    """Return the service that runs on the home in which a database lies: it plays all that is not over, in its time.

    Of the services that share one on a server it is the one that looks after the ladders, or with `remote` the one that
    takes remote bots and people.
    """
    if database.is_on_server:
        return server_lock.holder_of(database, REMOTE if remote else SERVICE)
    return None if database.path is None else holder_of(home_lock(database.path.resolve()))


def players_beside(database: Database) -> frozenset[LockHolder]:
    """Return who plays what lies in a database, be it one tournament or all; costs nearly nothing."""
    if database.is_on_server:
        return frozenset(server_lock.holders(database).values())
    if database.path is None:
        return frozenset()
    path = database.path.resolve()
    locks = [*path.parent.glob(f"{path.name}-*.lock"), home_lock(path)]
    return frozenset(found for lock in locks if (found := holder_of(lock)) is not None)


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
def exclusive(path: Path) -> Iterator[Keep]:
    """Hold the lock at `path` for the block, then remove it. Raises AlreadyRunningError at once if another has it.

    Not inherited by processes started meanwhile, so none of them keeps it when this one is killed. If somebody removes
    the file, the next call of what is given makes it again.
    """
    descriptor = _acquire(path)

    def keep() -> None:
        nonlocal descriptor
        if not _is_still_at(path, descriptor):
            with suppress(OSError):  # its directory is gone, too, which whoever writes there finds out
                again = _acquire(path)
                os.close(descriptor)
                descriptor = again

    try:
        yield keep
    finally:
        if _is_still_at(path, descriptor):  # else it is another's new lock
            path.unlink(missing_ok=True)  # while it is still held, for the same reason
        os.close(descriptor)


def _acquire(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            take(descriptor)
            if _is_still_at(path, descriptor):
                with suppress(OSError):  # on a full disk it is held all the same, and its holder is only not named
                    os.ftruncate(descriptor, 0)
                    owner = {"pid": os.getpid(), "host": platform.node(), "since_s": int(time.time())}
                    os.pwrite(descriptor, json.dumps(owner).encode(), 0)
                return descriptor
        except BlockingIOError:
            holder = _read(descriptor).pid or "another"
            os.close(descriptor)
            raise AlreadyRunningError(
                Text(
                    "process {pid} is playing this tournament now; wait for its end, or stop it and resume", pid=holder
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
    except OSError:
        return False


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
