"""What walks around the limits of level `standard` comes to an end at `strict`, where the kernel counts. Real bots."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from itertools import count

import pytest

from arena.hosting.cgroups.cgroup import CpuAccount, Freezer
from arena.hosting.errors import HostingError, LaunchError
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.procfs.processes import read_relations
from arena.hosting.sandbox.trial import try_groups
from arena.worker.freezer import make_meter
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import Place, need
from tests.support.sandboxes import place as open_place

pytestmark = [
    pytest.mark.needs("sandbox"),
    pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux"),
]

NAP = "import time; time.sleep(3600)"
MEMORY_MB = 64
FIRST_THREAD_ENDS = """
import ctypes, threading, time
def go_on():
    time.sleep(0.05)
    held = [b'x' * (1 << 20) for _ in range(1200)]
    time.sleep(3600)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall(60, 0)  # exit(2) ends one thread
"""
SHARED = """
import mmap, time
held = []
for _ in range(2016):  # each piece as small as the filter of system calls lets pass
    held.append(mmap.mmap(-1, 1 << 20))
    held[-1].write(b'x' * (1 << 20))
    held[-1].madvise(mmap.MADV_DONTNEED)  # no process has these pages now
time.sleep(3600)
"""
MAPPINGS = """
import mmap, os, time
for _ in range(40):  # their tables, not their pages
    if os.fork() == 0:
        held = []
        for _ in range(60_000):
            try:
                held.append(mmap.mmap(-1, 4096, prot=mmap.PROT_READ + (len(held) % 2) * mmap.PROT_WRITE))
            except (OSError, MemoryError):
                break
        time.sleep(3600)
time.sleep(3600)
"""
STORM = """
import os, signal
if os.fork():
    signal.pause()
while True:
    try:
        if os.fork():
            os._exit(0)  # nobody is there long enough to be counted
        os.setsid()
        os.fork()
    except OSError:
        pass
"""


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    """As in conftest.py, which is not there in the kernel that a test boots."""
    async with open_place() as place:
        yield place


@pytest.fixture
def strict() -> str:
    return need("strict")


async def ended_for(process: HostedProcess) -> str:
    assert await process.wait(PATIENCE_S), "nobody ended it"
    assert process.exceeded is not None, await process.collect()
    check_that_it_is_gone(process)
    return process.exceeded.what


def check_that_it_is_gone(process: HostedProcess) -> None:
    assert process.group is not None
    assert not any(map(os.path.isdir, process.group.distinct))


async def up(process: HostedProcess) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while "\n" not in (await process.collect()).stdout:
            assert not process.exited.done(), await process.collect()
            await asyncio.sleep(0.01)


@pytest.mark.hostile("hold-memory-behind-a-dead-thread", "share-memory-and-let-it-go", "fill-the-kernel-with-mappings")
@pytest.mark.parametrize("program", [FIRST_THREAD_ENDS, SHARED, MAPPINGS], ids=["first-thread", "shared", "mappings"])
async def test_memory_that_no_process_seems_to_have_is_the_groups(place: Place, strict: str, program: str) -> None:
    process = await place.start(strict, program, memory_mb=MEMORY_MB, disk_mb=8)
    assert await ended_for(process) == "memory"
    assert process.exceeded is not None
    assert process.exceeded.sentence.endswith(f"MiB of memory; {MEMORY_MB} MiB are allowed.")


@pytest.mark.hostile("fork-storm")
async def test_a_storm_of_processes_that_are_never_there_is_ended(place: Place, strict: str) -> None:
    process = await place.start(strict, STORM, processes=20)
    assert await ended_for(process) == "processes"


async def test_it_may_use_what_it_was_promised(place: Place, strict: str) -> None:
    program = (
        "import threading, time\n"
        f"x = b'x' * ({MEMORY_MB - 20} << 20)\n"
        "open('file', 'wb').write(b'x' * (7 << 20))\n"
        "threads = [threading.Thread(target=time.sleep, args=(0.1,)) for _ in range(30)]\n"
        "for one in threads: one.start()\n"
        "for one in threads: one.join()\n"
        "print('done')"
    )
    process = await place.start(strict, program, memory_mb=MEMORY_MB, disk_mb=8, processes=40)
    assert await process.wait(PATIENCE_S)
    assert process.exceeded is None
    assert (await process.collect()).stdout == "done\n"
    check_that_it_is_gone(process)


@pytest.mark.hostile("children-nobody-waits-for")
async def test_children_that_nobody_waits_for_are_charged(place: Place, strict: str) -> None:
    program = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('up', flush=True)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}); signal.sigwait({signal.SIGUSR1})\n"
        "if os.fork() == 0:\n"
        "    if os.fork() == 0:\n"
        "        while time.process_time() < 0.3: pass\n"
        "        print('computed', flush=True)\n"
        "    os._exit(0)\n"
        f"os.wait(); {NAP}"
    )
    process = await place.start(strict, program)
    await up(process)
    meter = make_meter(process)
    meter.begin()
    process.signal(signal.SIGUSR1)
    async with asyncio.timeout(PATIENCE_S):
        while "computed" not in (await process.collect()).stdout:
            await asyncio.sleep(0.01)
    seen = meter.look()
    meter.close()
    assert seen is not None
    assert seen[0] >= 300_000
    process.signal(signal.SIGKILL)
    assert await process.wait(PATIENCE_S)
    check_that_it_is_gone(process)


@pytest.mark.hostile("refuse-to-end-while-asleep")
async def test_one_that_sleeps_is_killed_and_one_that_is_asked_to_end_wakes(place: Place, strict: str) -> None:
    for number, status in ((signal.SIGTERM, (5, 0)), (signal.SIGKILL, (0, signal.SIGKILL))):
        program = f"import os, signal; signal.signal(15, lambda *_: os._exit(5)); print(1, flush=True); {NAP}"
        process = await place.start(strict, program)
        await up(process)
        assert process.group is not None
        freezer = Freezer(process.group)
        assert freezer.freeze_surely(PATIENCE_S)
        process.signal(number)
        assert await process.wait(PATIENCE_S)
        freezer.close()
        assert (process.exited.result().status, process.exited.result().signal) == status
        check_that_it_is_gone(process)


async def test_a_busy_machine_on_which_a_group_stands_still_late_has_the_level_all_the_same(
    place: Place, strict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_frozen, looks = Freezer.is_frozen, count()

    def is_frozen_late(freezer: Freezer) -> bool:
        return is_frozen(freezer) and next(looks) > 1000  # of which there are two in a millisecond

    monkeypatch.setattr(Freezer, "is_frozen", is_frozen_late)
    assert [check.name for check in await try_groups(place.launcher) if not check.holds] == []
    assert next(looks) > 1000


@pytest.mark.host_fault("no-control-group")
async def test_a_group_that_cannot_be_made_is_the_hosts_fault(place: Place, strict: str) -> None:
    with pytest.raises(HostingError, match=r"this host could not start .*Invalid argument") as caught:
        await place.start(strict, NAP, processes=-5)
    assert not isinstance(caught.value, LaunchError)


async def test_the_launcher_puts_a_bot_to_sleep_by_its_group_and_wakes_it(place: Place, strict: str) -> None:
    process = await place.start(strict, "print(1, flush=True)\nwhile True: pass")
    await up(process)
    assert process.group is not None
    account, freezer = CpuAccount(process.group), Freezer(process.group)
    assert (await process.freeze()).problem == ""
    async with asyncio.timeout(PATIENCE_S):
        while not freezer.is_frozen():
            await asyncio.sleep(0.001)
    used_us = account.used_us()
    assert (await process.thaw()).problem == ""
    assert not freezer.is_frozen()
    async with asyncio.timeout(PATIENCE_S):
        while account.used_us() - used_us < 50_000:
            await asyncio.sleep(0.001)
    account.close()
    freezer.close()
    assert (await process.freeze()).problem == ""
    await process.end()
    check_that_it_is_gone(process)


@pytest.mark.host_fault("launcher-killed-while-a-bot-sleeps")
async def test_a_killed_launcher_leaves_no_group_and_nobody_asleep(place: Place, strict: str) -> None:
    process = await place.start(strict, f"print(1, flush=True); {NAP}")
    await up(process)
    assert process.group is not None
    freezer = Freezer(process.group)
    assert freezer.freeze_surely(PATIENCE_S)
    relations = read_relations(process.pid)
    assert relations is not None
    os.kill(relations.parent, signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while any(map(os.path.isdir, process.group.distinct)):
            await asyncio.sleep(0.01)
    freezer.close()
