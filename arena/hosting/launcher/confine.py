"""Confines this process by Landlock and seccomp before it becomes a bot (level `reduced`). Needs no namespaces.

What it lacks against a sandbox: unix sockets elsewhere can be reached if their permissions allow it, and before Linux
6.12 (ABI 6) other processes of the same user can be signalled. Landlock is in Linux from 5.13 on, if it is switched on.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from arena.hosting.prctl import prctl

# System call numbers, which are the same on every processor.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22
_SECCOMP_MODE_FILTER = 2
# linux/landlock.h: execute 1, write file 2, read file 4, read directory 8; 1 << 13 refer (ABI 2), 1 << 14 truncate (3).
_READ = 1 | 4 | 8
_READ_DIRECTORY = 8
_READ_FILE = 1 | 4
_WRITE_FILE = 2 | 4 | 1 << 14
_OF_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1}
_SINCE_VERSION_3 = (1 << 15) - 1
_SCOPES_SINCE = 6
_SIGNALS_AND_ABSTRACT_SOCKETS = 1 | 2


class ConfineError(OSError):
    """The kernel cannot confine a process in this way."""


def landlock_version() -> int:
    """Return the version of Landlock's ABI in this kernel; 0 if it has none."""
    return max(_syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION), 0)


def confine(places: Mapping[str, Sequence[str]], program: bytes) -> None:
    """Restrict this process for good to these places (`read`, `list`, `write`) and to what the seccomp program allows.

    Raises ConfineError.
    """
    version = landlock_version()
    if version < 1:
        raise ConfineError("Landlock is not available")
    handled = _OF_VERSION.get(version, _SINCE_VERSION_3)
    scoped = _SIGNALS_AND_ABSTRACT_SOCKETS if version >= _SCOPES_SINCE else 0
    attributes = struct.pack("<QQQ", handled, 0, scoped) if scoped else struct.pack("<Q", handled)
    ruleset = _check(_syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))
    for path in places["read"]:
        _allow(ruleset, path, _READ & handled)
    for path in places["list"]:
        _allow(ruleset, path, _READ_DIRECTORY)
    for path in places["write"]:
        _allow(ruleset, path, handled)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _check(_syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)
    _install(program)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):  # noqa: PTH112 - pathlib would double the start-up
        access &= _READ_FILE | _WRITE_FILE
    rule = struct.pack("<Qi", access, place)
    _check(_syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0))
    os.close(place)


def _install(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    prog = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.c_char_p(prog), 0, 0):
        raise ConfineError(ctypes.get_errno(), "seccomp is not available")


def _syscall(*arguments: Any) -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(*arguments))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise ConfineError(number, f"Landlock: {os.strerror(number)}")
    return result
