"""Gives this process a title of its own in the output of `ps`."""

from __future__ import annotations

import ctypes

from arena.hosting.procfs.processes import read_own_argument_span


def set_title(title: bytes) -> None:
    """Set the command line that `ps` shows, if the title is shorter; a fork would show that of its parent."""
    try:
        start, end = read_own_argument_span()
    except OSError:
        return  # no /proc tells where it lies
    if start and end - start > len(title):
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, title, len(title))
