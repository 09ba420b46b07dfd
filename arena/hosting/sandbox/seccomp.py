"""Assembles the seccomp filter of a sandboxed bot: classic BPF as bytes, for x86_64 and aarch64. No I/O, no libseccomp.

A call of another architecture, or of the x32 ABI, ends the process: its numbers mean something else. Whatever is not
refused is allowed, up to the newest system call that was looked at. Calls that are refused in part have a block each
that looks at their arguments. An argument is compared by its lower 32 bits where the kernel, too, takes no more of it.
Every block ends the program.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Callable, Iterator, Mapping

from arena.hosting.procfs.usage import MOST_SHARED_BYTES
from arena.hosting.sandbox.syscalls import (
    ABSENT,
    EXAMINED,
    LAST_KNOWN,
    LOCKS,
    MACHINES,
    PAGES,
    REFUSED,
    SESSIONS,
    UNSUPPORTED,
    Machine,
    Numbers,
)
from engine.translatable import Text

AF_UNIX = 1
NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of linux/sched.h."""
CLONE_FILES, CLONE_THREAD = 0x400, 0x10000
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which type characters into a terminal as if its owner had."""
PERSONALITIES = (0, 0xFFFFFFFF)
"""Plain Linux, and the query for the current one; others weaken address randomisation or memory protection."""
MAP_SHARED, MAP_ANONYMOUS, MAP_HUGETLB = 0x01, 0x20, 0x40000
MADV_MERGEABLE = 12
"""Equal pages of two processes become one, which both can tell by the time that writing takes."""
LOCK_COMMANDS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW and the same for open files."""
FILE_COMMANDS = (1024, 1026, 1031)
"""F_SETLEASE, by which others wait to open a file; F_NOTIFY; F_SETPIPE_SZ, memory of the kernel."""
FIRST_UNKNOWN_COMMAND = 1039
"""F_GETDELEG of Linux 6.19, a lease on a directory. From here on commands are refused until somebody reviewed them."""
PROCESS_OPTIONS = (4, 22, 35, 62, 67)
"""PR_SET_DUMPABLE, which hides a process; PR_SET_SECCOMP; PR_SET_MM; PR_SCHED_CORE, which stops the neighbour of a
processor's core; PR_SET_MEMORY_MERGE."""
FIRST_UNKNOWN_OPTION, END_OF_UNKNOWN_OPTIONS = 78, 0x10000
"""PR_FUTEX_HASH of Linux 6.16, memory of the kernel of any size. Above stand only PR_SET_VMA and PR_SET_PTRACER."""
SOCKET_LEVEL = 1
BUFFER_OPTIONS = (7, 26, 32, 50)
"""SO_SNDBUF and SO_SNDBUFFORCE, SO_ATTACH_FILTER and SO_ATTACH_BPF: megabytes of the kernel for each socket."""
CLOSE_RANGE_UNSHARE = 2
"""A thread with descriptors of its own, where nobody counts them."""
# linux/bpf_common.h and linux/filter.h
LOAD_WORD = 0x20
JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_GREATER, JUMP_IF_ANY_BIT = 0x15, 0x35, 0x25, 0x45
RETURN = 0x06
# linux/seccomp.h
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6]. Both machines are little-endian.
NUMBER, ARCHITECTURE = 0, 4
_FIRST_ARGUMENT, _ARGUMENT_BYTES, _WORD_BYTES = 16, 8, 4


class UnknownMachineError(Exception):
    """There is no filter for this processor."""


def seccomp_filter(machine: str | None = None, *, may_lock: bool = False, may_lead_sessions: bool = False) -> bytes:
    """Return the filter for a machine, named as by `platform.machine`; this one by default.

    `may_lock` is for a build, which plays against nobody; `may_lead_sessions` for where a control group gives every bot
    the same share of the processor, however many sessions it makes. Raises UnknownMachineError.
    """
    name = machine or platform.machine()
    if name not in MACHINES:
        raise UnknownMachineError(
            Text("there is no seccomp filter for {name}, only for {known}", name=name, known=", ".join(MACHINES))
        )
    refused = [(REFUSED, errno.EPERM), (ABSENT, errno.ENOSYS), (UNSUPPORTED, errno.EOPNOTSUPP), (PAGES, errno.EINVAL)]
    refused += [] if may_lead_sessions else [(SESSIONS, errno.EPERM)]
    refused += [] if may_lock else [(LOCKS, errno.EOPNOTSUPP)]
    program = _program(MACHINES[name], refused, may_lock=may_lock)
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _program(machine: Machine, refused: list[tuple[Numbers, int]], *, may_lock: bool) -> Iterator[Instruction]:
    yield (LOAD_WORD, 0, 0, ARCHITECTURE)
    yield (JUMP_IF_EQUAL, 1, 0, machine.audit_arch)
    yield (RETURN, 0, 0, KILL_PROCESS)
    yield (LOAD_WORD, 0, 0, NUMBER)
    if machine.foreign_from is not None:
        yield from when(JUMP_IF_AT_LEAST, machine.foreign_from, KILL_PROCESS)
    yield from when(JUMP_IF_GREATER, LAST_KNOWN, ERRNO | errno.ENOSYS)
    for numbers, error in refused:
        for number in _numbers(numbers, machine).values():
            yield from when(JUMP_IF_EQUAL, number, ERRNO | error)
    yield from examine(_numbers(EXAMINED, machine), may_lock=may_lock)
    yield (RETURN, 0, 0, ALLOW)


def _numbers(numbers: Numbers, machine: Machine) -> dict[str, int]:
    """Return the numbers of the calls that this machine has."""
    found = {name: pair[machine.column] for name, pair in numbers.items()}
    return {name: number for name, number in found.items() if number is not None}


_REFUSE = (RETURN, 0, 0, ERRNO | errno.EPERM)
_PERMIT = (RETURN, 0, 0, ALLOW)


def _socket(*_: bool) -> list[Instruction]:
    return [(LOAD_WORD, 0, 0, argument(0)), *when(JUMP_IF_EQUAL, AF_UNIX, ALLOW), _error(errno.EAFNOSUPPORT)]


def _clone(*_: bool) -> list[Instruction]:
    return [
        (LOAD_WORD, 0, 0, argument(0)),
        *when(JUMP_IF_ANY_BIT, NAMESPACE_FLAGS, ERRNO | errno.EPERM),
        (JUMP_IF_ANY_BIT, 1, 0, CLONE_THREAD),
        _PERMIT,
        *when(JUMP_IF_ANY_BIT, CLONE_FILES, ALLOW),
        _REFUSE,
    ]


def _ioctl(*_: bool) -> list[Instruction]:
    return _refuse_some(1, TERMINAL_INPUT)


def _personality(*_: bool) -> list[Instruction]:
    known = [line for one in PERSONALITIES for line in when(JUMP_IF_EQUAL, one, ALLOW)]
    return [(LOAD_WORD, 0, 0, argument(0)), *known, _REFUSE]


def _mmap(*_: bool) -> list[Instruction]:
    """Refuse as if there were no memory left, which every program knows of this call."""
    return [
        (LOAD_WORD, 0, 0, argument(3)),
        # Pages that the host set aside for a program of its own; they count as nobody's memory.
        *when(JUMP_IF_ANY_BIT, MAP_HUGETLB, ERRNO | errno.ENOMEM),
        (JUMP_IF_ANY_BIT, 1, 0, MAP_ANONYMOUS),
        _PERMIT,
        (JUMP_IF_ANY_BIT, 1, 0, MAP_SHARED),
        _PERMIT,
        (LOAD_WORD, 0, 0, high_word(1)),
        *when(JUMP_IF_GREATER, 0, ERRNO | errno.ENOMEM),
        (LOAD_WORD, 0, 0, argument(1)),
        *when(JUMP_IF_GREATER, MOST_SHARED_BYTES, ERRNO | errno.ENOMEM),
        _PERMIT,
    ]


def _madvise(*_: bool) -> list[Instruction]:
    # As a kernel answers that cannot merge pages.
    return _refuse_some(2, [MADV_MERGEABLE], errno.EINVAL)


def _fcntl(may_lock: bool) -> list[Instruction]:
    locks = () if may_lock else LOCK_COMMANDS
    return [
        (LOAD_WORD, 0, 0, argument(1)),
        *(line for one in locks for line in when(JUMP_IF_EQUAL, one, ERRNO | errno.EOPNOTSUPP)),
        *when(JUMP_IF_AT_LEAST, FIRST_UNKNOWN_COMMAND, ERRNO | errno.EINVAL),
        *_refuse_some(1, FILE_COMMANDS)[1:],
    ]


def _prctl(*_: bool) -> list[Instruction]:
    return [
        (LOAD_WORD, 0, 0, argument(0)),
        *when(JUMP_IF_AT_LEAST, END_OF_UNKNOWN_OPTIONS, ALLOW),
        *when(JUMP_IF_AT_LEAST, FIRST_UNKNOWN_OPTION, ERRNO | errno.EINVAL),
        *_refuse_some(0, PROCESS_OPTIONS)[1:],
    ]


def _close_range(*_: bool) -> list[Instruction]:
    return [
        (LOAD_WORD, 0, 0, argument(2)),
        *when(JUMP_IF_ANY_BIT, CLOSE_RANGE_UNSHARE, ERRNO | errno.EPERM),
        _PERMIT,
    ]


def _setsockopt(*_: bool) -> list[Instruction]:
    return [
        (LOAD_WORD, 0, 0, argument(1)),
        (JUMP_IF_EQUAL, 1, 0, SOCKET_LEVEL),
        _PERMIT,
        *_refuse_some(2, BUFFER_OPTIONS),
    ]


def _refuse_some(index: int, values: tuple[int, ...] | list[int], number: int = errno.EPERM) -> list[Instruction]:
    refused = [line for value in values for line in when(JUMP_IF_EQUAL, value, ERRNO | number)]
    return [(LOAD_WORD, 0, 0, argument(index)), *refused, _PERMIT]


def _error(number: int) -> Instruction:
    return (RETURN, 0, 0, ERRNO | number)


_BLOCKS: Mapping[str, Callable[[bool], list[Instruction]]] = {
    "socket": _socket,
    "socketpair": _socket,
    "clone": _clone,
    "ioctl": _ioctl,
    "personality": _personality,
    "mmap": _mmap,
    "madvise": _madvise,
    "fcntl": _fcntl,
    "prctl": _prctl,
    "close_range": _close_range,
    "setsockopt": _setsockopt,
}


def examine(numbers: Mapping[str, int], *, may_lock: bool) -> Iterator[Instruction]:
    """Return the blocks, for the calls of these numbers; the number of the call must be loaded."""
    for name, make in _BLOCKS.items():
        block = make(may_lock)
        yield (JUMP_IF_EQUAL, 0, len(block), numbers[name])
        yield from block


Instruction = tuple[int, int, int, int]
"""struct sock_filter: code, jump if true, jump if false, operand."""


def argument(index: int) -> int:
    """Return where the lower 32 bits of an argument lie."""
    return _FIRST_ARGUMENT + _ARGUMENT_BYTES * index


def high_word(index: int) -> int:
    """Return where the upper 32 bits of an argument lie."""
    return argument(index) + _WORD_BYTES


def when(jump: int, operand: int, answer: int) -> list[Instruction]:
    """Return the instructions that give an answer if a comparison holds, and else go on."""
    return [(jump, 0, 1, operand), (RETURN, 0, 0, answer)]
