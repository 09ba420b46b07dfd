"""Gives this process a title of its own in the list of processes."""

from __future__ import annotations

import ctypes

from arena.hosting.proc.processes import IS_LINUX, read_own_argument_span


def set_title(title: bytes) -> None:
    """Set what `ps` shows, if it is shorter than the command line was: a fork looks like what it was forked from."""
    if not IS_LINUX:
        return
    start, end = read_own_argument_span()
    if start and end - start > len(title):
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, title, len(title))
