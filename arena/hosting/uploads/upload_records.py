"""What is on the disk of uploads: each one that is on its way, and which ones an owner began lately.

An upload is a directory with `meta.json`, written at once, and `data`, whose length is what has arrived. Whenever the
process is killed, `data` is a beginning of the archive. Its lock keeps those who write to it apart. The history is one
small file per owner. Threads and processes may use one history together, and may be killed at any moment: a file is
replaced as a whole.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arena.hosting.atomic_directory import fsync, locked
from arena.hosting.uploads.errors import missing
from engine.translatable import from_json, to_json

_META, _DATA = "meta.json", "data"
KEPT_S = 3600.0
"""How long an upload is remembered after it ended."""
_UNFINISHED_KEPT_S = 4 * 24 * 3600.0  # one that never ended is remembered for longer than it waits for its author
_NEW = ".new"


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


@dataclass(frozen=True, slots=True)
class PastUpload:
    """An upload that was begun. Times are those of the clock on the wall, in seconds."""

    id: str
    size_bytes: int
    begun_s: float
    ended_s: float | None = None
    sentence: str = ""
    """What it became."""
    error: str | None = None
    """Why it was refused."""


class UploadHistory:
    """The files below one directory. Every method may block on the disk, and raises OSError."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def changing(self, owner: str, now_s: float | None = None) -> Iterator[list[PastUpload]]:
        """Give what is remembered of an owner, oldest first, and keep what the block makes of it unless it raises.

        Nobody else changes anything meanwhile.
        """
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        now_s = time.time() if now_s is None else now_s
        with locked(self._root, fcntl.LOCK_EX):
            known = self._read(self._file(owner))
            past = [one for one in known if _is_kept(one, now_s)]
            yield past
            if past != known:  # whoever only looks needs no room on the disk
                file = self._file(owner)
                new = file.with_suffix(_NEW)
                try:
                    data = [{**asdict(one), "error": one.error and to_json(one.error)} for one in past]
                    new.write_text(json.dumps(data), encoding="utf-8")
                    new.rename(file)
                finally:
                    new.unlink(missing_ok=True)

    def note_end(self, owner: str, upload_id: str, sentence: str = "", error: str | None = None) -> None:
        """Remember what became of an upload, if it is remembered that it was begun."""
        now_s = time.time()
        with self.changing(owner, now_s) as past:
            for place, one in enumerate(past):
                if one.id == upload_id and one.ended_s is None:
                    past[place] = replace(one, ended_s=now_s, sentence=sentence, error=error)

    def find(self, upload_id: str, owner: str | None = None) -> PastUpload | None:
        """Return the upload of that id that was begun last, of one owner or of anybody."""
        files = self._root.glob("*.json") if owner is None else [self._file(owner)]
        found = [one for file in files for one in self._read(file) if one.id == upload_id]
        return max(found, key=lambda one: one.begun_s, default=None)

    def sweep(self) -> None:
        """Remove what is remembered of nobody any more, and what killed processes left."""
        if self._root.is_dir():
            with locked(self._root, fcntl.LOCK_EX):
                for left in self._root.glob(f"*{_NEW}"):
                    left.unlink()
                for file in self._root.glob("*.json"):
                    if not any(_is_kept(one, time.time()) for one in self._read(file)):
                        file.unlink()

    def _file(self, owner: str) -> Path:
        # Hashed, so that no name of an owner is a path.
        return self._root / f"{hashlib.sha256(owner.encode()).hexdigest()[:32]}.json"

    def _read(self, file: Path) -> list[PastUpload]:
        try:
            return [
                PastUpload(**{**one, "error": one.get("error") and from_json(one["error"])})
                for one in json.loads(file.read_text(encoding="utf-8"))
            ]
        except (FileNotFoundError, ValueError, TypeError):  # damaged by a power cut, it is not worth a refusal
            return []


def _is_kept(one: PastUpload, now_s: float) -> bool:
    if one.ended_s is None:
        return now_s - one.begun_s < _UNFINISHED_KEPT_S
    return now_s - one.ended_s < KEPT_S or now_s - one.begun_s < KEPT_S
