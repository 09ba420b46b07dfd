"""Which signals end a command, and how one that would be killed by them ends in good order."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_dropped = False
"""Whether Ctrl-C raised KeyboardInterrupt where nobody could hear it."""


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
    """Return whether there was a Ctrl-C of which nobody has heard, and forget it."""
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
