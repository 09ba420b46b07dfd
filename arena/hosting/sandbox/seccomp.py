"""Assembles the seccomp filter of a sandboxed bot: classic BPF as bytes, for x86_64 and aarch64. No I/O, no libseccomp.

A call of another architecture, or of the x32 ABI, ends the process: its numbers mean something else. Whatever is not
refused is allowed, up to the newest system call that was looked at. An argument is compared by its lower 32 bits where
the kernel, too, takes no more of it.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator

from arena.hosting.sandbox.syscalls import ABSENT, EXAMINED, LAST_KNOWN, MACHINES, REFUSED, Machine, Numbers

# linux/bpf_common.h and linux/filter.h
_LOAD_WORD = 0x20
_JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_GREATER, _JUMP_IF_ANY_BIT = 0x15, 0x35, 0x25, 0x45
_RETURN = 0x06
# linux/seccomp.h
ALLOW, KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6]. Both machines are little-endian.
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24

AF_UNIX = 1
NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of linux/sched.h."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which type characters into a terminal as if its owner had."""
PERSONALITIES = (0, 0xFFFFFFFF)
"""Plain Linux, and the query for the current one; others weaken address randomisation or memory protection."""

Instruction = tuple[int, int, int, int]
"""struct sock_filter: code, jump if true, jump if false, operand."""


class UnknownMachineError(Exception):
    """There is no filter for this processor."""


def seccomp_filter(machine: str | None = None) -> bytes:
    """Return the filter for a machine, named as by `platform.machine`; this one by default.

    Raises UnknownMachineError.
    """
    name = machine or platform.machine()
    if name not in MACHINES:
        raise UnknownMachineError(f"there is no seccomp filter for {name}, only for {', '.join(MACHINES)}")
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in _program(MACHINES[name]))


def _program(machine: Machine) -> Iterator[Instruction]:
    yield (_LOAD_WORD, 0, 0, _ARCHITECTURE)
    yield (_JUMP_IF_EQUAL, 1, 0, machine.audit_arch)
    yield (_RETURN, 0, 0, KILL_PROCESS)
    yield (_LOAD_WORD, 0, 0, _NUMBER)
    if machine.foreign_from is not None:
        yield from _when(_JUMP_IF_AT_LEAST, machine.foreign_from, KILL_PROCESS)
    yield from _when(_JUMP_IF_GREATER, LAST_KNOWN, _ERRNO | errno.ENOSYS)
    for numbers, error in ((REFUSED, errno.EPERM), (ABSENT, errno.ENOSYS)):
        for number in _numbers(numbers, machine):
            yield from _when(_JUMP_IF_EQUAL, number, _ERRNO | error)
    yield from _examine(machine)
    yield (_RETURN, 0, 0, ALLOW)


def _numbers(numbers: Numbers, machine: Machine) -> Iterator[int]:
    for pair in numbers.values():
        number = pair[machine.column]
        if number is not None:
            yield number


def _when(jump: int, operand: int, answer: int) -> Iterator[Instruction]:
    yield (jump, 0, 1, operand)
    yield (_RETURN, 0, 0, answer)


def _examine(machine: Machine) -> Iterator[Instruction]:
    """Return the part that examines arguments; each block ends the program, so the call number stays loaded."""
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    no_such_family = (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT)
    allow = (_RETURN, 0, 0, ALLOW)
    blocks: dict[str, list[Instruction]] = {
        "socket": [(_LOAD_WORD, 0, 0, _FIRST), (_JUMP_IF_EQUAL, 1, 0, AF_UNIX), no_such_family, allow],
        "socketpair": [(_LOAD_WORD, 0, 0, _FIRST), (_JUMP_IF_EQUAL, 1, 0, AF_UNIX), no_such_family, allow],
        "clone": [(_LOAD_WORD, 0, 0, _FIRST), (_JUMP_IF_ANY_BIT, 0, 1, NAMESPACE_FLAGS), refuse, allow],
        "ioctl": [
            (_LOAD_WORD, 0, 0, _SECOND),
            (_JUMP_IF_EQUAL, 1, 0, TERMINAL_INPUT[0]),
            (_JUMP_IF_EQUAL, 0, 1, TERMINAL_INPUT[1]),
            refuse,
            allow,
        ],
        "personality": [
            (_LOAD_WORD, 0, 0, _FIRST),
            (_JUMP_IF_EQUAL, 2, 0, PERSONALITIES[0]),
            (_JUMP_IF_EQUAL, 1, 0, PERSONALITIES[1]),
            refuse,
            allow,
        ],
    }
    for name, block in blocks.items():
        number = EXAMINED[name][machine.column]
        assert number is not None
        yield (_JUMP_IF_EQUAL, 0, len(block), number)
        yield from block
