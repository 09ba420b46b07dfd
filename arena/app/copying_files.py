"""Copies the files that belong to a database beside its rows: those of the bots, what was built, and the seed key."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from arena.hosting.builds import BUILDS_SUFFIX
from arena.hosting.store import VersionStore
from arena.tournament.seed_key import KEY_SUFFIX


def copy_files(source: VersionStore, target: VersionStore, tell: Callable[[int, int], None]) -> int:
    """Copy what is not there yet, each thing whole or not at all, and return how many versions `target` has then.

    `tell` is told how many of how many were looked at. Raises OSError.
    """
    pairs = [(source.root, target.root)]
    pairs.append((source.root.with_suffix(BUILDS_SUFFIX), target.root.with_suffix(BUILDS_SUFFIX)))
    found = [(path, there / path.name) for here, there in pairs if here.is_dir() for path in sorted(here.iterdir())]
    key = source.root.with_suffix(KEY_SUFFIX)
    found += [(key, target.root.with_suffix(KEY_SUFFIX))] if key.exists() else []
    for number, (path, place) in enumerate(found, start=1):
        if not path.name.startswith(".") and not place.exists():
            _copy(path, place)
        tell(number, len(found))
    return sum(path.is_dir() for path in target.root.iterdir()) if target.root.is_dir() else 0


def other_key(source: VersionStore, target: VersionStore) -> Path | None:
    """Return the seed key of the target if it is not that of the source, or `None`."""
    ours, theirs = (store.root.with_suffix(KEY_SUFFIX) for store in (source, target))
    if not theirs.exists() or (ours.exists() and ours.read_bytes() == theirs.read_bytes()):
        return None
    return theirs


def _copy(path: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".copy-", dir=place.parent) as directory:
        unfinished = Path(directory) / path.name
        if path.is_dir():
            shutil.copytree(path, unfinished, symlinks=True)
            mode = unfinished.stat().st_mode
            unfinished.chmod(mode | 0o200)  # a directory that may not be written cannot be moved
            unfinished.rename(place)
            place.chmod(mode & 0o7777)
        else:
            shutil.copy2(path, unfinished)
            unfinished.rename(place)
