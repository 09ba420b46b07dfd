"""Asks the kernel whether two processes are in the same memory, as after vfork(2)."""

from __future__ import annotations

import contextlib
import ctypes
import os

from arena.hosting.procfs.processes import read_file

_KCMP = {"x86_64": 312, "aarch64": 272}
_KCMP_VM = 1


def share_memory(one: int, other: int) -> bool:
    """Return whether two processes have the same memory. False where the kernel does not tell."""
    number = _KCMP.get(os.uname().machine)
    if number is None or ctypes.CDLL(None).syscall(number, one, other, _KCMP_VM, 0, 0) != 0:
        return False
    # Those whose first threads have ended would be the same to the kernel: neither has any memory by that number.
    return _has_memory(one) and _has_memory(other)


def _has_memory(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return not read_file(f"/proc/{pid}/statm").startswith(b"0 ")
    return False
