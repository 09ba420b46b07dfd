"""How a process of ours ends that somebody has driven beyond its own limits, or broken, and how that is told apart.

Both count as a crash. A process that somebody killed did not crash, nor did one that ended with an error: that is the
host's affair.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

from engine.text import Text

OVER_LIMIT_STATUS = 75
"""The exit status of a process that reached a limit of its own."""
_NO_THREAD = "pthread_create failed"
_CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP})


def exit_over_limit(words: str) -> NoReturn:
    """End this process at once, with these last words; what it started sees its end and clears up."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
    os._exit(OVER_LIMIT_STATUS)  # whoever brought it down may have left nothing in order that an orderly end needs


def is_crash(code: int | None, said: str = "") -> bool:
    """Return whether a process with this exit code, negative for a signal, reached a limit of its own or crashed.

    One that `said` last that it got no thread did neither: gRPC aborts where the machine has no room for long.
    """
    return code is not None and (code == OVER_LIMIT_STATUS or -code in _CRASHES) and _NO_THREAD not in said


def describe_end(code: int | None) -> str:
    """Return how a process ended, in a word or two."""
    number = -code if code is not None and code < 0 else 0
    return (
        signal.Signals(number).name
        if number in list(signal.Signals)
        else Text("executor.exit_status", "exit status {status}", status=code)
    )
