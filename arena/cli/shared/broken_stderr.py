"""Standard error of a command: what is told along the way must not end it where nobody hears it any more.

A run of a night goes on when the terminal is gone, whoever read its pipe has ended, or the disk of its log is full.
What it found is in the database, and what it came to is told by its exit code.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class _IgnoringStream(io.RawIOBase):
    """A descriptor that takes everything: what cannot be written is passed over."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        try:
            return os.write(self._number, data)
        except OSError:
            return len(memoryview(data))


def ignore_broken_stderr() -> None:
    """Have what is written to standard error from now on raise nothing."""
    old = sys.stderr
    buffer = io.BufferedWriter(_IgnoringStream(old.fileno()))
    sys.stderr = io.TextIOWrapper(buffer, encoding=old.encoding, errors=old.errors, line_buffering=True)
