"""Bots that take more than their share: processes, memory, disk, files, output, time of the processor.

Every deed has an end of its own, far above what a sandbox allows and below what would harm the machine of a test.
"""

from __future__ import annotations

import mmap
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.v1 import play_pb2
from tests.support.scripted_bot import FOREVER_S, Wire, first, say, start_apart
from tests.support.zoo.deeds import DONE, Aims, Deed, Outcome, must_be_confined

MOST_PROCESSES = 400
MOST_MEMORY_MB = 700
MOST_DISK_MB = 400
MOST_FILES = 100_000
MOST_OUTPUT_MB = 400
WATCHES = 403_200
"""In each of two processes; what epoll remembers of each is some 200 bytes of the kernel."""
MEGABYTE = bytes(1024 * 1024)


def take(steps: Iterator[object], what: str) -> Outcome:
    """Go on until something refuses; how far it came and what refused."""
    taken = 0
    try:
        for _ in steps:
            taken += 1
    except OSError as error:
        return {what: str(taken), "refused": error.strerror or ""}
    except MemoryError:
        return {what: str(taken), "refused": "MemoryError"}
    return {what: str(taken), "refused": ""}


def bomb_with_forks(aims: Aims) -> Outcome:
    """Children that only wait, as many as there can be; it never goes on."""
    must_be_confined(aims)

    def fork() -> Iterator[None]:
        for _ in range(MOST_PROCESSES):
            if not os.fork():
                signal.pause()
                os._exit(0)
            yield

    say("outcome:", take(fork(), "processes"))
    time.sleep(FOREVER_S)
    return {}


def bomb_with_memory(aims: Aims) -> Outcome:
    """Several processes share the work, because a limit of each alone is no limit of the bot."""
    must_be_confined(aims)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30 if most == resource.RLIM_INFINITY else most, most))
    share = MOST_MEMORY_MB // 4

    def swallow() -> None:
        held = mmap.mmap(-1, share << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for page in range(0, len(held), mmap.PAGESIZE):
            held[page] = 1
        time.sleep(FOREVER_S)

    for _ in range(3):
        if not os.fork():
            swallow()
            os._exit(0)
    swallow()
    return {"memory": str(MOST_MEMORY_MB)}


def write_files(directory: str) -> Iterator[None]:
    """Megabyte by megabyte, in files of a size that is allowed."""
    for index in range(MOST_DISK_MB // 8):
        with Path(directory, f"fill-{index}").open("wb", buffering=0) as file:
            for _ in range(8):
                if file.write(MEGABYTE) < len(MEGABYTE):
                    raise OSError(28, "No space left on device")
                yield


def fill_the_disk(aims: Aims) -> Outcome:
    """All of its own directories, until it is ended for it."""
    must_be_confined(aims)
    for directory in dict.fromkeys([os.environ.get("TMPDIR", "/tmp"), "/tmp"]):
        say("outcome:", take(write_files(directory), "MB"))
    time.sleep(FOREVER_S)
    return {}


def fill_other_places(aims: Aims) -> Outcome:
    """Wherever else something may be written: full, or refused from the beginning."""
    must_be_confined(aims)
    outcome: Outcome = {}
    for directory in ("/dev/shm", "/var/tmp", "/run", "/"):
        outcome |= {f"{key} {directory}": value for key, value in take(write_files(directory), "MB").items()}
    return outcome


def open_many_files(aims: Aims) -> Outcome:
    def open_one() -> Iterator[None]:
        while len(descriptors) < MOST_FILES:
            descriptors.append(os.open(os.devnull, os.O_RDONLY))
            yield

    descriptors: list[int] = []
    outcome = take(open_one(), "files")
    for descriptor in descriptors:
        os.close(descriptor)
    return outcome


def fill_the_kernel_with_watches(aims: Aims) -> Outcome:
    """Each of two processes has few files open, and the kernel remembers each number under which one was watched.

    They hold that until the bot ends.
    """
    must_be_confined(aims)
    ours, its = os.pipe()
    is_child = os.fork() == 0
    taken = take(watch_files(), "watches")
    if is_child:
        os.write(its, b"done")
        time.sleep(FOREVER_S)
    os.close(its)
    os.read(ours, 4)
    say("outcome:", taken)
    time.sleep(FOREVER_S)
    return {}


def watch_files() -> Iterator[None]:
    """Watch 60 files under 80 numbers each, in as many lists as there are descriptors left for."""
    ends = [os.eventfd(0) for _ in range(60)]
    numbers = range(max(ends) + 85, max(ends) + 165)
    for _ in range(WATCHES // (len(ends) * len(numbers))):
        _kept.append(select.epoll())
        for end in ends:
            for number in numbers:
                os.dup2(end, number)
                _kept[-1].register(number, 0)  # it is watched as long as the file is open under any number
                yield


_kept: list[select.epoll] = []


def flood_output(aims: Aims) -> Outcome:
    line = b"noise " * 10_000 + b"\n"
    for _ in range((MOST_OUTPUT_MB << 20) // (2 * len(line))):
        for descriptor in (1, 2):
            os.write(descriptor, line)
    say("the last line")
    return {"output": DONE}


def flood_before_joining() -> None:
    """Writes all that it can, and never joins."""
    flood_output({})
    time.sleep(FOREVER_S)


def spin_while_waiting(wire: Wire, decide: play_pb2.Decide) -> None:
    """Answers at once, and computes on every core when it is another one's turn."""
    for _ in range(os.cpu_count() or 1):
        subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"])
    wire.send_bytes(first(decide))


def fork_flood_and_stay(wire: Wire, decide: play_pb2.Decide) -> None:
    """Two children that ignore TERM, one in a session of its own; noise; and the bot itself ignores TERM too."""
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
    for start in (subprocess.Popen, start_apart):
        start([sys.executable, "-I", "-S", "-c", deaf])
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(2, b"noise " * 20_000)
    wire.send_bytes(first(decide))


DEEDS: dict[str, Deed] = {
    function.__name__.replace("_", "-"): function
    for function in (
        bomb_with_forks,
        bomb_with_memory,
        fill_the_disk,
        fill_other_places,
        open_many_files,
        fill_the_kernel_with_watches,
        flood_output,
    )
}
STARTS: dict[str, Callable[[], None]] = {"flood-before-joining": flood_before_joining}
ANSWERS: dict[str, Callable[[Wire, play_pb2.Decide], None]] = {
    function.__name__.replace("_", "-"): function for function in (spin_while_waiting, fork_flood_and_stay)
}
