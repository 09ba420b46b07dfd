"""Writes an archive file by file, and remembers the hash of each."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from arena.service.backup.format import MANIFEST, MANIFEST_HASH

_READABLE = 0o600
_EXECUTABLE = 0o700


class ArchiveWriter:
    """An archive that is being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._files: dict[str, list[Any]] = {}

    def add_bytes(self, name: str, data: bytes) -> None:
        """Write a small file. Raises OSError."""
        self._add(name, io.BytesIO(data), len(data), executable=False)

    def add_file(self, name: str, file: IO[bytes], *, executable: bool = False) -> None:
        """Write an open file, as long as it is now. Raises OSError, also if it becomes shorter meanwhile."""
        self._add(name, file, os.fstat(file.fileno()).st_size, executable=executable)

    def add_path(self, name: str, path: Path) -> bool:
        """Write a file if there is one, and return whether there is. Raises OSError."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return False
        with file:
            self.add_file(name, file)
        return True

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest: the hash of every file so far, with further facts. Raises OSError."""
        text = json.dumps({**facts, "files": self._files}, indent=1).encode()
        self.add_bytes(MANIFEST, text)
        self.add_bytes(MANIFEST_HASH, hashlib.sha256(text).hexdigest().encode())

    def _add(self, name: str, file: IO[bytes], size: int, *, executable: bool) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = size
        entry.mode = _EXECUTABLE if executable else _READABLE
        hashed = _Hashed(file)
        self._tar.addfile(entry, hashed)
        self._files[name] = [hashed.digest.hexdigest(), size, executable]


class _Hashed(io.RawIOBase):
    """A file that is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        return data
