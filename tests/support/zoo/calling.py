"""Bots that ask the kernel for what weighs on the whole machine, hides them, or lets two bots talk.

Nothing is taken in amounts that harm: one of each is enough to see that it can be had. Each deed tells what it got.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import socket
import struct
from collections.abc import Callable
from pathlib import Path

from tests.support.zoo.deeds import DONE, Aims, Deed, Outcome, attempt, must_be_confined

NUMBERS = {
    "io_setup": (206, 0),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "landlock_create_ruleset": (444, 444),
    "seccomp": (317, 277),
    "vmsplice": (278, 75),
    "close_range": (436, 436),
    "add_key": (248, 217),
    "timer_create": (222, 107),
}
"""By machine: x86_64, aarch64."""
F_OFD_SETLK = 37
CLOSE_RANGE_UNSHARE = 2
PR_SET_DUMPABLE, PR_SCHED_CORE, PR_FUTEX_HASH = 4, 62, 78
MADV_MERGEABLE = 12
SHARED_MB = 64
PROC_FILES = ("autogroup", "oom_score_adj", "comm", "coredump_filter", "clear_refs")


def call(name: str, *arguments: object) -> None:
    """Make a system call by name. Raises OSError."""
    number = NUMBERS[name][platform.machine() == "aarch64"]
    _check(ctypes.CDLL(None, use_errno=True).syscall(number, *arguments))


def call_library(name: str, *arguments: object) -> None:
    """Call a function of the C library that returns -1 when it fails. Raises OSError."""
    _check(getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments))


def _check(result: int) -> None:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def lock_a_file_of_the_system(aims: Aims) -> Outcome:
    """Every kind of lock, lease and watch on a file that other bots see as well: each carries a bit to them."""
    must_be_confined(aims)
    descriptor = os.open(os.__file__, os.O_RDONLY)
    directory = os.open(str(Path(os.__file__).parent), os.O_RDONLY)
    whole = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    return {
        "flock": attempt(lambda: fcntl.flock(descriptor, fcntl.LOCK_SH)),
        "set": attempt(lambda: fcntl.fcntl(descriptor, fcntl.F_SETLK, whole)),
        "ask": attempt(lambda: fcntl.fcntl(descriptor, fcntl.F_GETLK, wanted)),
        "open file": attempt(lambda: fcntl.fcntl(descriptor, F_OFD_SETLK, whole)),
        "lease": attempt(lambda: fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)),
        "notify": attempt(lambda: fcntl.fcntl(directory, fcntl.F_NOTIFY, fcntl.DN_ACCESS)),
        "inotify": attempt(lambda: call("inotify_init1", 0)),
        "fanotify": attempt(lambda: call("fanotify_init", 0x200, 0)),
        "key": attempt(lambda: call("add_key", b"user", b"zoo", b"x", 1, -3)),
    }


def take_from_the_machine(aims: Aims) -> Outcome:
    """What is counted for the whole machine or the user, and memory that belongs to no process."""
    must_be_confined(aims)
    ends = os.pipe()
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page[0] = 1
    word = struct.pack("QQ", ctypes.addressof(ctypes.c_char.from_buffer(page)), 1)
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, 7, 0xFFFFFFFF) for tag in (0x01, 0x04, 0x20))
    ports = struct.pack("<QQ", 0, 1)
    Path("note").write_bytes(b"page")
    note = os.open("note", os.O_RDONLY)
    ends_of_a_pair = socket.socketpair()
    return {
        "io_setup": attempt(lambda: call("io_setup", 1, ctypes.byref(ctypes.c_ulong(0)))),
        "shared memory": attempt(lambda: mmap.mmap(-1, SHARED_MB << 20).close()),
        "pages in a pipe": attempt(lambda: call("vmsplice", ends[1], word, ctypes.c_size_t(1), 0)),
        "a file's page in a pipe": attempt(lambda: os.splice(note, ends[1], 1)),
        "one in a socket": attempt(lambda: os.sendfile(ends_of_a_pair[0].fileno(), note, 0, 1)),
        "a table of locks": attempt(lambda: call_library("prctl", PR_FUTEX_HASH, 1, 1024, 0, 0)),
        "a terminal": attempt(lambda: os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)),
        "a larger pipe": attempt(lambda: fcntl.fcntl(ends[1], 1031, 1 << 20)),
        "a larger buffer": attempt(lambda: ends_of_a_pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)),
        "rules": attempt(lambda: call("landlock_create_ruleset", ports, ctypes.c_size_t(len(ports)), 0)),
        "filters": attempt(lambda: call("seccomp", 1, 0, 0)),
        "access list": attempt(lambda: os.setxattr("note", "system.posix_acl_access", acl)),
        "sync": attempt(lambda: call_library("syncfs", ends[0])),
    }


def hide_and_weigh(aims: Aims) -> Outcome:
    """Scheduling groups of its own, and what takes a process out of sight of those who watch it."""
    must_be_confined(aims)
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    outcome = {f"write {name}": attempt(lambda name=name: _write(name)) for name in PROC_FILES}  # type: ignore[misc]
    return outcome | {
        "setsid": attempt(lambda: in_a_child(os.setsid)),
        "core": attempt(lambda: call_library("prctl", PR_SCHED_CORE, 1, 0, 0, 0)),
        "not dumpable": attempt(lambda: call_library("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)),
        "merge": attempt(lambda: call_library("madvise", address, ctypes.c_size_t(mmap.PAGESIZE), MADV_MERGEABLE)),
        "own table": attempt(lambda: call("close_range", 1000, 1001, CLOSE_RANGE_UNSHARE)),
    }


def _write(name: str) -> None:
    with open(f"/proc/self/{name}", "r+b", buffering=0) as file:  # noqa: PTH123
        file.write(b"1")


def in_a_child(action: Callable[[], object]) -> None:
    """Do it in a child that leads no group. Raises OSError as the action did."""
    child = os.fork()
    if not child:
        try:
            action()
        except OSError as error:
            os._exit(error.errno or 255)
        os._exit(0)
    if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise OSError(code, errno.errorcode.get(code, ""))


def talk_by_counters(aims: Aims) -> Outcome:
    """What counts for the whole machine moves when a bot opens files, and another bot can read it."""
    must_be_confined(aims)

    found = {path: attempt(Path(path).read_bytes) for path in aims["counters"].split(":")}
    return {path: outcome for path, outcome in found.items() if outcome == DONE and Path(path).read_bytes()}


DEEDS: dict[str, Deed] = {
    function.__name__.replace("_", "-"): function
    for function in (
        lock_a_file_of_the_system,
        take_from_the_machine,
        hide_and_weigh,
        talk_by_counters,
    )
}
