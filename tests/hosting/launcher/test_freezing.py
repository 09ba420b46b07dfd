"""A bot that is put to sleep: nothing of it computes, whatever it tried, and it goes on when it is woken."""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arena.hosting.launcher.client import HostedProcess
from arena.hosting.launcher.messages import FreezeOutcome
from arena.hosting.procfs.processes import STATE, list_descendants, list_threads, parse_stat, read_file
from tests.support.patience import PATIENCE_S, patient_endings
from tests.support.processes import wait_until
from tests.support.sandboxes import REDUCED, STANDARD, Place, need, place

# Four that spin: one in a group, one in a session of its own, one that its parent has left behind.
RESTLESS = """
import os, signal, threading
for way in (os.setpgrp, os.setsid, lambda: os.fork() and os._exit(0)):
    if not os.fork():
        way()
        break
def spin():
    while True:
        pass
threading.Thread(target=spin).start()
print("ready", flush=True)
spin()
"""
CALM = """
import os, signal
signal.signal(signal.SIGTERM, lambda *_: os._exit(5))
print("ready", flush=True)
while True:
    pass
"""
FORKING = """
import os
print("ready", flush=True)
children = 0
while True:
    if not os.fork():
        os._exit(0)
    children += 1  # of which few live: on a busy machine they would come to its limit of processes
    while children and os.waitpid(-1, os.WNOHANG if children < 16 else 0)[0]:
        children -= 1
"""
KILLING = """
import os, signal
print("ready", flush=True)
while True:
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(-1, number)
        except ProcessLookupError:
            pass
"""


@pytest.fixture
async def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with patient_endings():
        async with place() as found:
            yield found


def states(process: HostedProcess) -> Iterator[bytes]:
    """Those of all threads of a bot; `T` is stopped. The sandbox around it is left out."""
    for pid in list_descendants(process.pid):
        for thread in list_threads(pid):
            try:
                if b"bwrap" not in read_file(f"/proc/{pid}/comm"):
                    yield parse_stat(read_file(f"/proc/{pid}/task/{thread}/stat"))[STATE]
            except OSError:
                continue


def is_stopped(process: HostedProcess) -> bool:
    assert not process.exited.done()
    found = set(states(process)) - {b"Z", b"X"}
    return found == {b"T"}


async def start(somewhere: Place, level: str, program: str) -> HostedProcess:
    process = await somewhere.start(need(level), program)
    while "ready" not in (await process.collect()).stdout:
        assert not process.exited.done(), await process.collect()
    return process


@pytest.mark.hostile("spin-in-sessions")
@pytest.mark.parametrize("level", ["none", REDUCED, STANDARD])
async def test_all_of_a_bot_sleeps_and_goes_on(somewhere: Place, level: str) -> None:
    program = RESTLESS if level == "standard" else RESTLESS.replace("lambda: os.fork() and os._exit(0)", "int")
    process = await start(somewhere, level, program)
    for _ in range(2):
        assert (await process.freeze()).problem == ""
        wait_until(lambda: is_stopped(process))
        assert process.is_frozen
        assert process.freeze_outcome.is_whole is (level == "standard")
        assert (await process.thaw()).problem == ""
        wait_until(lambda: b"R" in states(process))
        assert not process.is_frozen
    await process.end()


@pytest.mark.hostile("escape-by-forking")
@pytest.mark.needs("sandbox")
async def test_nobody_escapes_by_forking(somewhere: Place) -> None:
    process = await start(somewhere, "standard", FORKING)
    for _ in range(5):
        assert (await process.freeze()).problem == ""
        wait_until(lambda: is_stopped(process))
        assert (await process.thaw()).problem == ""
    await process.end()


@pytest.mark.hostile("stop-and-kill-all-it-sees")
@pytest.mark.needs("sandbox")
async def test_a_bot_that_stops_and_kills_all_it_sees_sleeps_or_is_named(somewhere: Place) -> None:
    process = await start(somewhere, "standard", KILLING)
    slept = await process.freeze()
    if not slept.problem:
        wait_until(lambda: is_stopped(process))
    assert slept.is_own == (slept.problem == "It stopped or killed the process that puts it to sleep.")
    await process.end()


@pytest.mark.hostile("refuse-to-end-while-asleep")
@pytest.mark.needs("sandbox")
async def test_a_sleeping_bot_ends_in_peace_or_is_ended(somewhere: Place) -> None:
    calm = await start(somewhere, "standard", CALM)
    await calm.freeze()
    assert not await calm.end()
    assert calm.exited.result().status == 5
    killed = await start(somewhere, "standard", RESTLESS)
    await killed.freeze()
    killed.signal(signal.SIGKILL)
    assert await killed.wait(PATIENCE_S)
    assert await killed.freeze() == await killed.thaw() == FreezeOutcome()


async def test_a_bot_that_dies_while_it_sleeps_is_reported(somewhere: Place) -> None:
    process = await start(somewhere, "none", "print('ready', flush=True)\nwhile True: pass")
    await process.freeze()
    os.kill(process.pid, signal.SIGKILL)
    assert (await process.exited).signal == signal.SIGKILL
