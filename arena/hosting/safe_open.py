"""Opens files below a directory that somebody else may change meanwhile: no link is followed, and nothing blocks.

It also decodes what people wrote with whatever editor.
"""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from engine.translatable import Text

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


class NotRegularError(OSError):
    """What was opened is no file with content of its own."""


def open_directory(directory: Path) -> int:
    """Return a descriptor of the directory that was named, also if that name is a link. Raises OSError."""
    return os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_inner(above: int, name: str) -> int:
    """Return a descriptor of a directory that lies in another, unless it is a link. Raises OSError."""
    return os.open(name, _DIRECTORY, dir_fd=above)


def open_regular(directory: Path, path: str) -> int:
    """Return a descriptor of a regular file, for reading; `path` is relative to the directory, its parts joined by `/`.

    A link anywhere on the way below the directory is an error. Raises OSError, NotRegularError for a pipe or a device.
    """
    *above, name = path.split("/")
    place = open_directory(directory)
    try:
        for part in above:
            inner = open_inner(place, part)
            os.close(place)
            place = inner
        descriptor = os.open(name, _FILE, dir_fd=place)
    finally:
        os.close(place)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotRegularError(0, Text("it is no regular file"), str(directory / path))


def without_links(directory: Path, path: str) -> str | None:
    """Return the way to a file below a directory without the links on it; `None` if they lead out of the directory."""
    root = os.path.realpath(directory)
    target = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - unlike Path.resolve, it raises for no loop
    return Path(target).relative_to(root).as_posix() if Path(target).is_relative_to(root) else None


def decode_text(content: bytes) -> str:
    """Return what a file says: UTF-16 with its mark, as PowerShell writes it, otherwise UTF-8; the rest is replaced."""
    marks = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
    return content.decode("utf-16" if content.startswith(marks) else "utf-8-sig", "replace")
