"""One upload on the disk: a directory with `meta.json`, written at once, and `data`, whose length is what has arrived.

Whenever the process is killed, `data` is a beginning of the archive. Its lock keeps those who write to it apart.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.hosting.building import fsync
from arena.hosting.uploads.errors import missing

_META, _DATA = "meta.json", "data"


@dataclass(frozen=True, slots=True)
class Upload:
    """An archive on its way."""

    id: str
    owner: str
    sha256: str
    """Of the whole archive, as announced."""
    size_bytes: int
    turn: int
    """Names the stream that began the upload last, which alone may append."""
    offset: int = 0
    """How many bytes are stored."""


def read_upload(directory: Path) -> Upload:
    """Return the upload in a directory. Raises UploadMissingError if there is none, OSError if it cannot be read."""
    try:
        meta = json.loads((directory / _META).read_text(encoding="utf-8"))
        return Upload(**meta, offset=(directory / _DATA).stat().st_size)
    except (FileNotFoundError, ValueError, TypeError) as error:
        raise missing() from error


def write_upload(directory: Path, upload: Upload) -> None:
    """Write what is known of an upload, but not how much has arrived, at once and to the disk. Raises OSError."""
    meta = asdict(upload)
    del meta["offset"]
    new = directory / f".{_META}"
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps(meta))
        file.flush()
        os.fsync(file.fileno())
    new.rename(directory / _META)
    fsync(directory)


def make_upload(directory: Path, upload: Upload) -> None:
    """Make the directory of an upload of which nothing has arrived. Raises OSError."""
    directory.mkdir(mode=0o700)
    os.close(os.open(data_path(directory), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    write_upload(directory, upload)


def data_path(directory: Path) -> Path:
    """Return the file that holds what has arrived."""
    return directory / _DATA


@contextmanager
def locked_data(directory: Path) -> Iterator[int]:
    """Give the descriptor of what has arrived, kept from all others. Raises UploadMissingError or OSError."""
    try:
        data = os.open(data_path(directory), os.O_RDWR)
    except FileNotFoundError as error:
        raise missing() from error
    try:
        fcntl.flock(data, fcntl.LOCK_EX)
        if os.fstat(data).st_nlink == 0:  # discarded while this waited
            raise missing()
        yield data
    finally:
        os.close(data)


def write_through(data: int, offset: int, chunk: bytes) -> None:
    """Write a piece at an offset; it is on the disk when this returns. Raises OSError, with a part of it written."""
    view = memoryview(chunk)
    while view:
        written = os.pwrite(data, view, offset)
        view, offset = view[written:], offset + written
    os.fdatasync(data)


def sha256_of(data: int) -> str:
    """Return the SHA-256 (hex) of everything in an open file. Raises OSError."""
    with os.fdopen(os.dup(data), "rb") as file:
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()
