"""The filter, asked on both machines by an interpreter, and by the kernel on this one."""

import errno
import re
from pathlib import Path

import pytest

from arena.hosting.sandbox.seccomp import ALLOW, KILL_PROCESS, NAMESPACE_FLAGS, UnknownMachineError, seccomp_filter
from arena.hosting.sandbox.syscalls import ABSENT, EXAMINED, LAST_KNOWN, MACHINES, REFUSED
from tests.support.bpf import answer

ERRNO = 0x00050000
EPERM, ENOSYS, NO_FAMILY = (ERRNO | number for number in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))
SIGCHLD = 17
# Of linux/socket.h: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK.
UNIX, OTHER_FAMILIES = 1, (0, 2, 10, 16, 17, 40)
# read, write, openat, mmap, futex, execve, exit_group, connect, prctl, setresuid: the kernel's numbers again.
EVERYDAY = {
    "x86_64": (0, 1, 257, 9, 202, 59, 231, 42, 157, 117),
    "aarch64": (63, 64, 56, 222, 98, 221, 94, 203, 167, 147),
}


@pytest.fixture(params=sorted(MACHINES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(machine: str, number: int | str | None, *arguments: int) -> int:
    known = MACHINES[machine]
    if isinstance(number, str):
        number = EXAMINED[number][known.column]
    assert number is not None
    return answer(seccomp_filter(machine), number, known.audit_arch, *arguments)


def test_what_every_program_does_is_allowed(machine: str) -> None:
    assert {ask(machine, number) for number in EVERYDAY[machine]} == {ALLOW}


def test_every_refused_call_fails(machine: str) -> None:
    column = MACHINES[machine].column
    for table, error in ((REFUSED, EPERM), (ABSENT, ENOSYS)):
        numbers = [pair[column] for pair in table.values()]
        assert {ask(machine, number) for number in numbers if number is not None} == {error}


def test_a_call_that_nobody_has_looked_at_does_not_exist(machine: str) -> None:
    assert ask(machine, LAST_KNOWN) == ALLOW
    assert ask(machine, LAST_KNOWN + 1) == ENOSYS


def test_another_architecture_ends_the_process(machine: str) -> None:
    i386 = 0x40000003
    others = {known.audit_arch for name, known in MACHINES.items() if name != machine} | {i386}
    assert {answer(seccomp_filter(machine), 1, other) for other in others} == {KILL_PROCESS}


def test_the_numbers_of_x32_end_the_process() -> None:
    for number in (0x40000000, 0x40000000 + 41, 0x40000000 + 520, 0xFFFFFFFF):
        assert ask("x86_64", number) == KILL_PROCESS


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_unix_sockets_can_be_made(machine: str, call: str) -> None:
    assert ask(machine, call, UNIX) == ALLOW
    assert {ask(machine, call, family) for family in OTHER_FAMILIES} == {NO_FAMILY}
    # The kernel takes the family as an int: what stands above it changes nothing.
    assert ask(machine, call, 1 << 32 | UNIX) == ALLOW
    assert ask(machine, call, 1 << 32 | 2) == NO_FAMILY


def test_threads_and_processes_can_be_started_but_no_namespaces(machine: str) -> None:
    thread = 0x003D0F00  # what a C library asks for
    assert ask(machine, "clone", thread) == ask(machine, "clone", SIGCHLD) == ALLOW
    for bit in range(32):
        if NAMESPACE_FLAGS >> bit & 1:
            assert ask(machine, "clone", SIGCHLD | 1 << bit) == EPERM


def test_nothing_can_be_typed_into_a_terminal(machine: str) -> None:
    assert ask(machine, "ioctl", 0, 0x5401) == ALLOW
    assert {ask(machine, "ioctl", 0, request) for request in (0x5412, 0x541C)} == {EPERM}


def test_the_personality_can_be_asked_but_not_changed(machine: str) -> None:
    assert ask(machine, "personality", 0xFFFFFFFF) == ask(machine, "personality", 0) == ALLOW
    assert ask(machine, "personality", 0x0040000) == EPERM


def test_a_machine_without_a_table_is_told() -> None:
    with pytest.raises(UnknownMachineError, match="no seccomp filter for riscv64, only for x86_64, aarch64"):
        seccomp_filter("riscv64")


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text(encoding="utf-8"))
    kernel = {name: int(number) for name, number in found}
    for name, pair in {**REFUSED, **ABSENT, **EXAMINED}.items():
        if name in kernel:
            assert pair[MACHINES[machine].column] == kernel[name], name
