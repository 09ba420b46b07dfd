"""Lets only one process at a time play a tournament: a file lock, which the system frees however its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.tournament.errors import AlreadyRunningError


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
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still_at(path, descriptor):
                _write_owner(descriptor)
                return descriptor
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "another"
            os.close(descriptor)
            raise AlreadyRunningError(
                f"process {holder} is playing this tournament now; wait for its end, or stop it and resume"
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
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
