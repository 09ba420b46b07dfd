"""What the process of a command does for itself: ends in order at signals, and keeps passwords off its command line.

Standard error must not end a command where nobody reads it any more. A run of a night goes on when the terminal is
gone, whoever read its pipe has ended, or the disk of its log is full. What it found is in the database, and the exit
code tells how it ended.
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ratings.store.urls import keep_password

_dropped = False
"""Whether Ctrl-C raised KeyboardInterrupt where nobody could hear it."""
_URL = re.compile(r"postgres[\w+]*://", re.IGNORECASE)


def note_dropped_interrupts() -> None:
    """Have `interrupt_was_dropped` know from now on, also where Python drops what is raised, as in `__del__`.

    A command is slow to begin, as it imports a lot, and in much of that Python calls such functions.
    """
    tell = sys.unraisablehook

    def note(dropped: sys.UnraisableHookArgs) -> None:
        global _dropped
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            _dropped = True
        else:
            tell(dropped)

    sys.unraisablehook = note


def interrupt_was_dropped() -> bool:
    """Return whether a Ctrl-C was dropped since the last call."""
    global _dropped
    was, _dropped = _dropped, False
    return was


def ending_signals() -> list[signal.Signals]:
    """Return Ctrl-C, SIGTERM and the closing of the terminal, the last unless this process is to pass it over."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return [signal.SIGINT, signal.SIGTERM]
    return [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Have the first of these signals raise KeyboardInterrupt as Ctrl-C does, so that what was begun is tidied up.

    A terminal that is closed may tell so twice, so those that follow change nothing, but a second Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are not told to it
        return
    numbers = [number for number in ending_signals() if number is not signal.SIGINT]

    def interrupt(_number: int, _frame: object) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _IgnoringStream(io.RawIOBase):
    """A stream on a descriptor that ignores what cannot be written."""

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


def hide_passwords() -> None:
    """Begin this program anew without them, if there are any; the driver finds them in the environment."""
    words = [_without(word) for word in sys.orig_argv]
    if words != sys.orig_argv:
        os.execv(sys.executable, [sys.executable, *words[1:]])  # by its path, from which it knows its packages


def _without(word: str) -> str:
    """Return a word of a command line, such as `--db=URL`, without the password in it."""
    found = _URL.search(word)
    return word if found is None else word[: found.start()] + keep_password(word[found.start() :])
