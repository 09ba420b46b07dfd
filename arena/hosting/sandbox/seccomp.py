"""Assembles the seccomp filter of a sandboxed bot: classic BPF as bytes, for x86_64 and aarch64. No I/O, no libseccomp.

A call of another architecture, or of the x32 ABI, ends the process: its numbers mean something else. Whatever is not
refused is allowed, up to the newest system call that was looked at.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator

from arena.hosting.sandbox.arguments import examine
from arena.hosting.sandbox.bpf import (
    ALLOW,
    ARCHITECTURE,
    ERRNO,
    JUMP_IF_AT_LEAST,
    JUMP_IF_EQUAL,
    JUMP_IF_GREATER,
    KILL_PROCESS,
    LOAD_WORD,
    NUMBER,
    RETURN,
    Instruction,
    when,
)
from arena.hosting.sandbox.syscalls import (
    ABSENT,
    EXAMINED,
    LAST_KNOWN,
    LOCKS,
    MACHINES,
    REFUSED,
    SESSIONS,
    UNSUPPORTED,
    Machine,
    Numbers,
)
from engine.text import Text


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
            Text(
                "hosting.no_seccomp_filter_only",
                "there is no seccomp filter for {name}, only for {known}",
                name=name,
                known=", ".join(MACHINES),
            )
        )
    refused = [(REFUSED, errno.EPERM), (ABSENT, errno.ENOSYS), (UNSUPPORTED, errno.EOPNOTSUPP)]
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
