"""Makes a directory of files appear all at once, or disappear so, whenever the process is killed.

It is filled under a hidden name, written to the disk, and renamed. What a killed process leaves has a hidden name and
no lock, and `sweep` removes it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.hosting.removal import remove_tree

# Hidden, so that none is mistaken for a version.
_BUILDING_PREFIX = ".adding-"
_REMOVING_PREFIX = ".removing-"
# So many are flushed one by one; with more it takes less to flush all that the file system has in memory.
_FEW_FILES = 100
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@contextmanager
def building_directory(root: Path) -> Iterator[Path]:
    """Give an empty directory in `root`, locked as long as it is used; it is removed at the end unless published."""
    while True:
        building = Path(tempfile.mkdtemp(prefix=_BUILDING_PREFIX, dir=root))
        # A sweep may take it for left behind until it is locked.
        with suppress(FileNotFoundError):
            lock = os.open(building, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if building.exists():
                break
            os.close(lock)
    try:
        yield building
    finally:
        remove_tree(str(building))
        os.close(lock)


def write_file(target: Path, chunks: Iterable[bytes], *, executable: bool) -> str:
    """Write a new read-only file and return the SHA-256 (hex) of what was written; `publish` brings it to the disk.

    Missing directories above it are made. Raises OSError, FileExistsError if the file is there already.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with target.open("xb") as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
        os.fchmod(file.fileno(), 0o555 if executable else 0o444)
    return digest.hexdigest()


def publish(building: Path, target: Path) -> None:
    """Rename a filled directory to its final name, on the disk too; if that name is taken, it is renewed instead."""
    for inner in (building, *building.rglob("*/")):
        inner.chmod(0o755)  # whatever the umask: if root runs the sandbox, another user reads them
    flush(building)
    with locked(target.parent, fcntl.LOCK_SH):
        try:
            building.rename(target)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
        _touch(target)
    fsync(target.parent)


def renew(target: Path) -> bool:
    """Have a published directory count as published now; return whether it is there."""
    with suppress(FileNotFoundError), locked(target.parent, fcntl.LOCK_SH):
        _touch(target)
        return True
    return False


def unpublish_unless(target: Path, is_used: Callable[[str], bool], older_than_s: float) -> bool:
    """Remove a directory published or renewed so long ago, unless its name is used; return whether it was removed."""
    with suppress(FileNotFoundError), locked(target.parent, fcntl.LOCK_EX):
        if time.time() - target.stat().st_mtime >= older_than_s and not is_used(target.name):
            return unpublish(target)
    return False


def unpublish(target: Path) -> bool:
    """Remove a published directory, at once for everybody who looks; return whether it was there."""
    removing = target.with_name(f"{_REMOVING_PREFIX}{target.name}-{os.urandom(8).hex()}")
    try:
        target.rename(removing)
    except FileNotFoundError:
        return False
    fsync(target.parent)
    remove_tree(str(removing))
    return True


def sweep(root: Path, older_than_s: float) -> None:
    """Remove what killed processes left half made or half removed in `root` and has not been touched for so long."""
    left = [path for prefix in (_BUILDING_PREFIX, _REMOVING_PREFIX) for path in root.glob(f"{prefix}*")]
    for path in left:
        with suppress(FileNotFoundError):  # finished meanwhile
            if time.time() - path.stat().st_mtime >= older_than_s:
                with suppress(BlockingIOError), locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                    remove_tree(str(path))


@contextmanager
def locked(directory: Path, operation: int) -> Iterator[None]:
    """Hold a lock of flock(2) on a directory. Raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, operation)
        yield
    finally:
        os.close(descriptor)


def fsync(path: Path) -> None:
    """Write a file, or the entries of a directory, through to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _touch(directory: Path) -> None:
    with suppress(PermissionError):  # it is another user's, who alone removes it
        os.utime(directory)


def flush(directory: Path) -> None:
    """Write everything below a directory through to the disk. Raises OSError."""
    paths = [*directory.rglob("*"), directory]
    if len(paths) <= _FEW_FILES or _LIBC is None:
        for path in paths:
            fsync(path)
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        if _LIBC.syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    finally:
        os.close(descriptor)
