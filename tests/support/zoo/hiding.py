"""Bots that take their share twice over, in places where one looking at their processes does not find it.

Every deed has an end of its own, far above what a sandbox allows and below what would harm the machine of a test.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import platform
import select
import signal
import socket
import threading
import time

from tests.support.scripted_bot import FOREVER_S
from tests.support.zoo.calling import call
from tests.support.zoo.deeds import DONE, Aims, Deed, Outcome, attempt, must_be_confined
from tests.support.zoo.greed import MEGABYTE

EXIT = {"x86_64": 60, "aarch64": 93}
"""The call that ends one thread, by machine."""
CLONE = {"x86_64": 56, "aarch64": 220}
"""The call that makes a process, by machine."""
HIDDEN_MB = 600
HIDDEN_FILES, HIDDEN_PAIRS = 120, 110
HIDING_FAMILY = 6
PIECE = 1 << 20
MAPPINGS, MAPPING_FAMILY = 60_000, 10
LINKED_PAGES, LINKED_FAMILY = 2000, 50
CONNECTIONS, NAMED_SOCKETS = 600, 60
MESSAGE = bytes(200_000)
SENT_FILES, CARRIERS, KEPT_FILES = 240, 2, 60
MOST_TIMERS = 5000


def go_on_without_the_first_thread(work: threading.Thread) -> None:
    """End the calling thread, the first of its process: its files in /proc are empty from then on."""
    work.start()
    ctypes.CDLL(None).syscall(EXIT[platform.machine()], 0)


def hold_memory_behind_a_dead_thread(aims: Aims) -> Outcome:
    must_be_confined(aims)

    def hold() -> None:
        kept = [MEGABYTE + bytes([index % 256]) for index in range(HIDDEN_MB)]
        time.sleep(FOREVER_S)
        del kept

    go_on_without_the_first_thread(threading.Thread(target=hold))
    return {}


def hold_files_behind_a_dead_thread(aims: Aims) -> Outcome:
    """Several processes, since a limit of each alone is no limit of the bot."""
    must_be_confined(aims)

    def hold() -> None:
        kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(HIDDEN_FILES)]
        time.sleep(FOREVER_S)
        del kept

    for _ in range(HIDING_FAMILY):
        if not os.fork():
            go_on_without_the_first_thread(threading.Thread(target=hold))
    time.sleep(FOREVER_S)
    return {}


def share_memory_and_let_it_go(aims: Aims) -> Outcome:
    """Pieces as large as are given, each filled and unmapped but for its first page: the rest is in no process."""
    must_be_confined(aims)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    shared = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    for _ in range(HIDDEN_MB):
        place = libc.mmap(None, ctypes.c_size_t(PIECE), 3, shared, -1, ctypes.c_long(0))
        if place in (None, ctypes.c_void_p(-1).value):
            return {"shared": "refused"}
        ctypes.memset(place, 1, PIECE)
        libc.munmap(ctypes.c_void_p(place + mmap.PAGESIZE), ctypes.c_size_t(PIECE - mmap.PAGESIZE))
    time.sleep(FOREVER_S)
    return {}


def fill_the_kernel_with_mappings(aims: Aims) -> Outcome:
    """Every page has another right than the one before it; children have as many mappings again, and no page."""
    must_be_confined(aims)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = libc.mmap(None, ctypes.c_size_t(MAPPINGS * mmap.PAGESIZE), 0, private, -1, ctypes.c_long(0))
    for index in range(0, MAPPINGS, 2):
        libc.mprotect(ctypes.c_void_p(start + index * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 1)
    for _ in range(MAPPING_FAMILY):
        if not os.fork():
            break
    time.sleep(FOREVER_S)
    return {}


def fork_a_chain_of_mappings(aims: Aims) -> Outcome:
    """Each process forks the next one: of each the kernel links every mapping with those of all before it."""
    must_be_confined(aims)
    libc = ctypes.PyDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = libc.mmap(None, ctypes.c_size_t(LINKED_PAGES * mmap.PAGESIZE), 3, private, -1, ctypes.c_long(0))
    for index in range(0, LINKED_PAGES, 2):
        page = start + index * mmap.PAGESIZE
        libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), 1)
        ctypes.memset(page + mmap.PAGESIZE, 1, 1)
    for _ in range(LINKED_FAMILY):
        if libc.syscall(CLONE[platform.machine()], signal.SIGCHLD, 0, 0, 0, 0):  # without the handlers of gRPC
            break
        os.closerange(3, 256)
    while True:
        libc.pause()


def fill_the_kernel_with_messages(aims: Aims) -> Outcome:
    """Sockets whose other end reads nothing."""
    must_be_confined(aims)
    pairs = []
    for _ in range(HIDDEN_PAIRS):
        pairs.append(socket.socketpair())
        for end in pairs[-1]:
            end.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    end.send(bytes(4096))
    time.sleep(FOREVER_S)
    return {}


def fill_the_kernel_behind_a_listener(aims: Aims) -> Outcome:
    """Connections that nobody accepts, each full and closed at its other end: they are behind one descriptor."""
    must_be_confined(aims)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0listener")
        listener.listen(CONNECTIONS)
        for _ in range(CONNECTIONS):
            with socket.socket(socket.AF_UNIX) as link:
                link.connect("\0listener")
                link.sendall(MESSAGE)
        time.sleep(FOREVER_S)
    return {}


def fill_the_kernel_with_datagrams(aims: Aims) -> Outcome:
    """A socket of datagrams is sent many, each by a socket that has been closed since."""
    must_be_confined(aims)
    kept = [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(NAMED_SOCKETS)]
    for index, one in enumerate(kept):
        one.bind(f"\0letters-{index}")
        with contextlib.suppress(BlockingIOError):
            while True:
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                    sender.setblocking(False)
                    sender.sendto(MESSAGE, one.getsockname())
    time.sleep(FOREVER_S)
    return {}


def hide_files_on_their_way(aims: Aims) -> Outcome:
    """Files that are sent, and closed, and not received: no process has them open."""
    must_be_confined(aims)
    carriers = [socket.socketpair() for _ in range(CARRIERS)]
    for ours, _ in carriers:
        send_files(ours, SENT_FILES)
    kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(KEPT_FILES)]
    time.sleep(FOREVER_S)
    del kept
    return {}


def send_files(end: socket.socket, count: int) -> None:
    """Send so many descriptors in one message. Raises OSError."""
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    try:
        socket.send_fds(end, [b"x"], opened)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def send_files_and_receive_none(aims: Aims) -> Outcome:
    """As many as the kernel lets a user have on their way with the limit that bots have."""
    must_be_confined(aims)
    outcome = DONE
    while outcome == DONE and len(_carriers) < 2 * CARRIERS:
        _carriers.append(socket.socketpair())
        outcome = attempt(lambda: send_files(_carriers[-1][0], SENT_FILES // CARRIERS))
    return {"messages": str(len(_carriers)), "refused": outcome}


def use_up_timers(aims: Aims) -> Outcome:
    """Timers of POSIX, which the kernel counts for each user, until there are no more."""
    must_be_confined(aims)
    made, outcome = 0, DONE
    while outcome == DONE and made < MOST_TIMERS:
        outcome, made = attempt(make_timer), made + 1
    return {"timers": str(made), "refused": outcome}


def make_timer() -> None:
    """Make a timer that is never set. Raises OSError."""
    call("timer_create", 1, None, ctypes.byref(ctypes.c_int(0)))


def use_what_is_counted_by_user(aims: Aims) -> Outcome:
    """Honest: it sends a file and receives it, makes a timer, and watches a file."""
    ours, its = socket.socketpair()
    outcome = {"send": attempt(lambda: send_files(ours, 1)), "timer": attempt(make_timer)}
    with select.epoll() as watcher:
        return outcome | {"watch": attempt(lambda: watcher.register(its, select.EPOLLIN))}


_carriers: list[tuple[socket.socket, socket.socket]] = []

DEEDS: dict[str, Deed] = {
    function.__name__.replace("_", "-"): function
    for function in (
        hold_memory_behind_a_dead_thread,
        hold_files_behind_a_dead_thread,
        share_memory_and_let_it_go,
        fill_the_kernel_with_mappings,
        fork_a_chain_of_mappings,
        fill_the_kernel_with_messages,
        fill_the_kernel_behind_a_listener,
        fill_the_kernel_with_datagrams,
        hide_files_on_their_way,
        send_files_and_receive_none,
        use_up_timers,
        use_what_is_counted_by_user,
    )
}
