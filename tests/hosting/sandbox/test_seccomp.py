"""The filter, asked on both machines by an interpreter, and by the kernel on this one."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from arena.hosting.procfs.usage import MOST_SHARED_BYTES
from arena.hosting.sandbox.seccomp import ALLOW, KILL_PROCESS, NAMESPACE_FLAGS, UnknownMachineError, seccomp_filter
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
)

LOAD_WORD, JUMP, RETURN = 0x20, 0x05, 0x06
COMPARISONS = {0x15: "equal", 0x25: "greater", 0x35: "at least", 0x45: "any bit"}


def answer(program: bytes, number: int, architecture: int, *arguments: int) -> int:
    """What the filter answers to a system call: SECCOMP_RET_* with its data."""
    args = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *args)
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = instructions[at]
        at += 1
        if code == RETURN:
            return int(operand)
        if code == LOAD_WORD:
            (accumulator,) = struct.unpack_from("<I", data, operand)
        else:
            at += if_true if _compare(COMPARISONS[code], accumulator, operand) else if_false


def _compare(kind: str, value: int, operand: int) -> bool:
    return {
        "equal": value == operand,
        "greater": value > operand,
        "at least": value >= operand,
        "any bit": bool(value & operand),
    }[kind]


ERRNO = 0x00050000
EPERM, ENOSYS, NO_FAMILY = (ERRNO | number for number in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))
UNABLE, NO_MEMORY, INVALID = (ERRNO | number for number in (errno.EOPNOTSUPP, errno.ENOMEM, errno.EINVAL))
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


def ask(machine: str, number: int | str | None, *arguments: int, **allowed: bool) -> int:
    known = MACHINES[machine]
    if isinstance(number, str):
        number = EXAMINED[number][known.column]
    assert number is not None
    return answer(seccomp_filter(machine, **allowed), number, known.audit_arch, *arguments)


def test_what_every_program_does_is_allowed(machine: str) -> None:
    assert {ask(machine, number) for number in EVERYDAY[machine]} == {ALLOW}


@pytest.mark.hostile("forbidden-calls")
def test_every_refused_call_fails(machine: str) -> None:
    column = MACHINES[machine].column
    tables = (
        (REFUSED, EPERM),
        (ABSENT, ENOSYS),
        (UNSUPPORTED, UNABLE),
        (SESSIONS, EPERM),
        (LOCKS, UNABLE),
        (PAGES, INVALID),
    )
    for table, error in tables:
        numbers = [pair[column] for pair in table.values()]
        assert {ask(machine, number) for number in numbers if number is not None} == {error}


@pytest.mark.hostile("calls-of-a-newer-kernel")
def test_a_call_that_nobody_has_looked_at_does_not_exist(machine: str) -> None:
    assert ask(machine, LAST_KNOWN) == ALLOW
    assert ask(machine, LAST_KNOWN + 1) == ENOSYS


@pytest.mark.hostile("calls-of-another-architecture")
def test_another_architecture_ends_the_process(machine: str) -> None:
    i386 = 0x40000003
    others = {known.audit_arch for name, known in MACHINES.items() if name != machine} | {i386}
    assert {answer(seccomp_filter(machine), 1, other) for other in others} == {KILL_PROCESS}


@pytest.mark.hostile("calls-of-another-abi")
def test_the_numbers_of_x32_end_the_process() -> None:
    for number in (0x40000000, 0x40000000 + 41, 0x40000000 + 520, 0xFFFFFFFF):
        assert ask("x86_64", number) == KILL_PROCESS


@pytest.mark.hostile("other-sockets")
@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_unix_sockets_can_be_made(machine: str, call: str) -> None:
    assert ask(machine, call, UNIX) == ALLOW
    assert {ask(machine, call, family) for family in OTHER_FAMILIES} == {NO_FAMILY}
    # The kernel takes the family as an int: what stands above it changes nothing.
    assert ask(machine, call, 1 << 32 | UNIX) == ALLOW
    assert ask(machine, call, 1 << 32 | 2) == NO_FAMILY


@pytest.mark.hostile("make-namespaces")
def test_threads_and_processes_can_be_started_but_no_namespaces(machine: str) -> None:
    thread = 0x003D0F00  # what a C library asks for
    assert ask(machine, "clone", thread) == ask(machine, "clone", SIGCHLD) == ALLOW
    for bit in range(32):
        if NAMESPACE_FLAGS >> bit & 1:
            assert ask(machine, "clone", SIGCHLD | 1 << bit) == EPERM


@pytest.mark.hostile("thread-with-descriptors-of-its-own")
def test_every_thread_shares_the_descriptors_of_its_process(machine: str) -> None:
    thread = 0x003D0F00
    assert ask(machine, "clone", thread & ~0x400) == EPERM
    assert ask(machine, "close_range", 3, 0xFFFFFFFF, 0) == ask(machine, "close_range", 3, 9, 4) == ALLOW
    assert ask(machine, "close_range", 3, 0xFFFFFFFF, 2) == EPERM


@pytest.mark.hostile("shared-memory-in-one-piece")
def test_memory_that_is_nobodys_is_shared_in_small_pieces_only(machine: str) -> None:
    private, shared, shared_file = 0x22, 0x21, 0x01
    for length in (MOST_SHARED_BYTES + 1, 1 << 32, (1 << 32) + 4096):
        assert ask(machine, "mmap", 0, length, 3, shared) == NO_MEMORY
        assert ask(machine, "mmap", 0, length, 3, private) == ask(machine, "mmap", 0, length, 3, shared_file) == ALLOW
    assert ask(machine, "mmap", 0, MOST_SHARED_BYTES, 3, shared) == ALLOW
    assert ask(machine, "madvise", 0, 4096, 4) == ALLOW
    assert ask(machine, "madvise", 0, 4096, 12) == INVALID


@pytest.mark.hostile("lock-files", "lease-files", "watch-directories")
def test_only_a_build_may_lock_files_and_nobody_lease_or_watch_them(machine: str) -> None:
    everyday, locks, leases = (0, 1, 2, 3, 4, 1030, 1032), (5, 6, 7, 36, 37, 38), (1024, 1026, 1031)
    assert {ask(machine, "fcntl", 3, command) for command in everyday} == {ALLOW}
    assert {ask(machine, "fcntl", 3, command) for command in locks} == {UNABLE}
    assert {ask(machine, "fcntl", 3, command, may_lock=True) for command in (*everyday, *locks)} == {ALLOW}
    assert {ask(machine, "fcntl", 3, command, may_lock=True) for command in leases} == {EPERM}
    assert {ask(machine, "fcntl", 3, command) for command in (1039, 1040, 5000)} == {INVALID}
    flock = LOCKS["flock"][MACHINES[machine].column]
    assert ask(machine, flock, may_lock=True) == ALLOW


@pytest.mark.hostile("lead-sessions")
def test_sessions_are_led_only_where_they_weigh_nothing(machine: str) -> None:
    setsid = SESSIONS["setsid"][MACHINES[machine].column]
    assert ask(machine, setsid) == EPERM
    assert ask(machine, setsid, may_lead_sessions=True) == ALLOW


@pytest.mark.hostile("hide-from-the-watchdog", "add-filters", "claim-a-core")
def test_a_process_can_neither_hide_nor_add_filters_nor_claim_a_core(machine: str) -> None:
    name, parent_death, no_new_privileges = 15, 1, 38
    assert {ask(machine, "prctl", option, 0) for option in (name, parent_death, no_new_privileges)} == {ALLOW}
    assert {ask(machine, "prctl", option, 0) for option in (4, 22, 35, 62, 67)} == {EPERM}


@pytest.mark.hostile("take-from-the-machine")
def test_a_process_has_no_table_of_locks_as_large_as_it_likes_and_no_option_that_nobody_has_looked_at(
    machine: str,
) -> None:
    name_a_mapping, restore_timers, table_of_locks = 0x53564D41, 77, 78
    assert {ask(machine, "prctl", option, 1) for option in (name_a_mapping, restore_timers)} == {ALLOW}
    assert {ask(machine, "prctl", option, 1) for option in (table_of_locks, 79, 5000, 0xFFFF)} == {INVALID}


@pytest.mark.hostile("take-from-the-machine")
def test_nothing_is_taken_of_the_pages_that_the_host_set_aside(machine: str) -> None:
    private_and_huge, shared_and_huge = 0x40022, 0x40021
    assert {ask(machine, "mmap", 0, 4096, 3, flags) for flags in (private_and_huge, shared_and_huge)} == {NO_MEMORY}


@pytest.mark.hostile("larger-buffers-of-sockets")
def test_a_socket_holds_no_more_than_by_default(machine: str) -> None:
    socket_level, other_level = 1, 6
    everyday = (2, 4, 8, 9, 16, 20, 21)  # SO_REUSEADDR, SO_ERROR, SO_RCVBUF, SO_KEEPALIVE, SO_PASSCRED, timeouts
    assert {ask(machine, "setsockopt", 3, socket_level, option) for option in everyday} == {ALLOW}
    assert {ask(machine, "setsockopt", 3, socket_level, option) for option in (7, 26, 32, 50)} == {EPERM}
    assert ask(machine, "setsockopt", 3, other_level, 7) == ALLOW


@pytest.mark.hostile("type-into-the-terminal")
def test_nothing_can_be_typed_into_a_terminal(machine: str) -> None:
    assert ask(machine, "ioctl", 0, 0x5401) == ALLOW
    assert {ask(machine, "ioctl", 0, request) for request in (0x5412, 0x541C)} == {EPERM}


@pytest.mark.hostile("change-its-personality")
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
    for name, pair in {**REFUSED, **ABSENT, **UNSUPPORTED, **SESSIONS, **LOCKS, **EXAMINED}.items():
        if name in kernel:
            assert pair[MACHINES[machine].column] == kernel[name], name
