"""Hashes the files of a runtime, and remembers the hashes of files that stay as they are.

A file counts with its place, size, permissions and content, a link with its place and target. `__pycache__` does not
count: it is made anew by whoever may write there.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.hosting.runtimes.errors import RuntimeBrokenError
from engine.os_errors import os_error_text
from engine.text import Text, placed

_IGNORED = "__pycache__"
# What is remembered of a file, and compared: when one of these differs, it is read again.
_Seen = list[Any]


class FileHashes:
    """Remembers the hash of each file of one runtime in a small file, which may be missing or lost at any time."""

    def __init__(self, memory: Path | None) -> None:
        self._memory = memory
        self._known: dict[str, _Seen] = _load(memory)
        self._used: dict[str, _Seen] = {}

    def hash_all(self, places: Mapping[str, Path]) -> str:
        """Return the hash of files and directories, each counting under its name. Raises RuntimeBrokenError."""
        digest = hashlib.sha256()
        try:
            for name, path in sorted(places.items()):
                for line in self._lines(name, path):
                    digest.update(json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise RuntimeBrokenError(
                placed(
                    error.filename,
                    Text(
                        "hosting.cannot_read_every_file_runtime",
                        "cannot be read ({why}); every file of a runtime must be readable",
                        why=os_error_text(error),
                    ),
                )
            ) from error
        return digest.hexdigest()

    def save(self) -> None:
        """Remember what was hashed; without a place to write, everything is hashed again next time."""
        if self._memory is None or self._used == self._known:
            return
        with suppress(OSError):
            self._memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=f".{self._memory.name}-", dir=self._memory.parent)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                json.dump(self._used, file, separators=(",", ":"))
            Path(name).replace(self._memory)

    def _lines(self, name: str, path: Path) -> Iterator[list[Any]]:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            yield from self._directory_lines(name, str(path))
        else:
            yield [name, facts.st_size, stat.S_IMODE(facts.st_mode), self._file_hash(str(path), facts)]

    def _directory_lines(self, name: str, path: str) -> Iterator[list[Any]]:
        with os.scandir(path) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
        for entry in entries:
            here, facts = f"{name}/{entry.name}", entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(facts.st_mode):
                if entry.name != _IGNORED:
                    yield from self._directory_lines(here, entry.path)
            elif stat.S_ISLNK(facts.st_mode):
                yield [here, os.readlink(entry.path)]  # noqa: PTH115 - there is no Path here yet
            elif stat.S_ISREG(facts.st_mode):
                yield [here, facts.st_size, stat.S_IMODE(facts.st_mode), self._file_hash(entry.path, facts)]

    def _file_hash(self, path: str, facts: os.stat_result) -> str:
        identity = [facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino]
        known = self._known.get(path)
        if known is None or known[:-1] != identity:
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                known = [*identity, hashlib.file_digest(file, "sha256").hexdigest()]
        self._used[path] = known
        return str(known[-1])


def _load(memory: Path | None) -> dict[str, _Seen]:
    """Return what was remembered; nothing if that is not there or was damaged."""
    if memory is None:
        return {}
    with suppress(OSError, ValueError):
        known = json.loads(memory.read_text(encoding="ascii"))
        if isinstance(known, dict):
            return {path: seen for path, seen in known.items() if isinstance(seen, list) and len(seen) == 5}
    return {}
