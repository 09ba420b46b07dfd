"""Removes directories that a bot could write to. The launcher imports it, so it loads nothing slow."""

from __future__ import annotations

import contextlib
import os


def remove_tree(path: str | None) -> None:
    """Remove a directory, even if a bot took away its own right to change something in it, and however deep it is.

    Directories are brought up before they are emptied: a path can be too long to be named, and too deep to recurse.
    What cannot be removed stays, without an error.
    """
    if path is None:
        return
    name, directories = os.urandom(8).hex(), [(path, path)]
    with contextlib.suppress(OSError):
        os.chmod(path, 0o700)  # noqa: PTH101 - pathlib would double the start-up of the launcher
    for directory, top in directories:
        for entry in _list_entries(directory):
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)  # noqa: PTH108 - as above
                    continue
                os.chmod(entry.path, 0o700)  # noqa: PTH101 - as above
                place = entry.path
                if directory not in (path, top):
                    place = os.path.join(top, f"{name}-{len(directories)}")  # noqa: PTH118 - as above
                    os.rename(entry.path, place)  # noqa: PTH104 - as above
                directories.append((place, place if directory == path else top))
    for directory, _ in reversed(directories):
        with contextlib.suppress(OSError):
            os.rmdir(directory)  # noqa: PTH106 - as above


def _list_entries(directory: str) -> list[os.DirEntry[str]]:
    """Return what lies in a directory; nothing if it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []
