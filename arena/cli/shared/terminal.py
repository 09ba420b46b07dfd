"""Standard output and standard error of a command: whatever is written there, nothing of it steers the terminal.

Names, words and files of bots and owners reach the streams by many ways; so they are made plain where all ways end.
What the program itself does to a terminal, a line that is written over and the drawing of a table, passes the guard.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from arena.i18n.plain import plain

_KEPT = "\n\t"
_USUAL_WIDTH = 80


class EscapedStream:
    """A text stream that escapes what is not plain; all else is that of the stream behind it."""

    def __init__(self, stream: TextIO) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        """Write a text, made plain. Raises TypeError for anything else."""
        if not isinstance(text, str):
            raise TypeError("a text stream takes text")
        self.behind.write(plain(text, keep=_KEPT))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, made plain."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def raw_stream(stream: TextIO) -> TextIO:
    """Return the stream itself, for what the program does to a terminal; what others wrote is made plain before."""
    return raw_stream(stream.behind) if isinstance(stream, EscapedStream) else stream


def width_of(stream: TextIO) -> int | None:
    """Return the width of a terminal, at least 1, or `None` for what is none."""
    if not stream.isatty():
        return None
    if os.environ.get("COLUMNS", "").isdecimal():
        return max(1, shutil.get_terminal_size().columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):  # a terminal that tells no size
        return _USUAL_WIDTH


@contextmanager
def escaped_streams() -> Iterator[None]:
    """Have all that is written to standard output and standard error made plain during the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, EscapedStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
