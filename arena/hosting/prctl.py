"""Sets options of this process with prctl(2), and its namespaces. On systems other than Linux nothing happens.

The launcher imports this at its start, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWUSER = 0x10000000

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def prctl(option: int, value: int) -> None:
    """Set one option of this process."""
    if _LIBC is not None:
        _LIBC.prctl(option, value, 0, 0, 0)


def die_with_parent(number: int) -> None:
    """Have the kernel signal this process when the thread that started it ends; 0 undoes that."""
    prctl(PR_SET_PDEATHSIG, number)


def set_namespace(descriptor: int, kind: int) -> None:
    """Enter a namespace; one of process ids holds for later children only. Raises OSError.

    `os.setns` is in Python from 3.12 on.
    """
    if _LIBC is not None and _LIBC.setns(descriptor, kind):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def make_user_namespace() -> None:
    """Move this process, which has one thread, into a new user namespace. Raises OSError.

    `os.unshare` is in Python from 3.12 on.
    """
    if _LIBC is None or _LIBC.unshare(CLONE_NEWUSER):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
