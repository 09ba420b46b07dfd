"""Sees that the files of a bot have changed, by times and sizes. What builds and editors leave does not count."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

Snapshot = Mapping[str, tuple[int, int]]
"""Time of the last change in nanoseconds, and size, of each file by its path from the directory."""

_FOLDERS = ("__pycache__", "node_modules", "target", "build", "dist", ".*")
_FILES = (".*", "*~", "#*#", "*.swp", "*.swx", "*.tmp", "*.pyc", "*.o", "*.obj", "*.d", "4913")
"""Vim writes a file of that name to see whether it may."""
_MOST_FILES = 20_000


def take_snapshot(directory: Path) -> Snapshot:
    """Return how the files of a directory stand, the first 20,000 of them; what cannot be read is left out."""
    found: dict[str, tuple[int, int]] = {}
    for path in _files(directory):
        try:
            facts = path.stat()
        except OSError:
            continue  # gone meanwhile: the next snapshot will not have it
        found[str(path.relative_to(directory))] = facts.st_mtime_ns, facts.st_size
        if len(found) >= _MOST_FILES:
            break
    return found


def changed_files(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the files that are new, gone or different, sorted."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _files(directory: Path) -> Iterator[Path]:
    for path, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not _is_any(name, _FOLDERS))
        yield from (Path(path, name) for name in sorted(names) if not _is_any(name, _FILES))


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
