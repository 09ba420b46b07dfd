"""The launcher and all that a bot started: put to sleep and woken whole, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.hosting.errors import LauncherLostError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.launched_bot import FreezeError
from arena.hosting.launcher.messages import FreezeOutcome, StartRequest
from arena.hosting.launcher.process_control import NamespaceFreezer
from arena.hosting.procfs.processes import STATE, list_descendants, list_processes, list_threads, parse_stat, read_file
from tests.hosting.launcher.running import NAP, launcher_of, run
from tests.support.patience import PATIENCE_S, patient_endings
from tests.support.processes import marked_processes, wait_until
from tests.support.sandboxes import REDUCED, STANDARD, Place, need, place


def members(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for pid in list_processes():
        with suppress(OSError):
            found += [pid] if os.getsid(pid) == session else []
    return found


FAMILY = f"""
import subprocess, sys
nap = [sys.executable, "-S", "-c", {NAP!r}]
subprocess.Popen(nap)
subprocess.Popen(nap, process_group=0)
subprocess.Popen(nap, start_new_session=True)
subprocess.run([sys.executable, "-S", "-c", f"import subprocess; subprocess.Popen({{nap!r}}, start_new_session=True)"])
"""


@pytest.mark.hostile("leave-daemons")
@pytest.mark.parametrize("end", ["", "import os; os.kill(os.getpid(), 9)"])
async def test_when_an_end_is_told_its_whole_family_is_gone(launcher: LauncherClient, mark: str, end: str) -> None:
    process = await run(launcher, FAMILY + end)
    await process.exited
    assert not any("time.sleep" in command for command in marked_processes(mark).values())


async def test_the_family_of_a_living_process_is_left_alone(launcher: LauncherClient, mark: str) -> None:
    living = await run(launcher, FAMILY + f"print('up', flush=True); {NAP}", ARENA_TOKEN="living")
    while not (await living.collect()).stdout:
        pass
    other = await run(launcher, "pass", ARENA_TOKEN="other")
    await other.exited
    assert sum("time.sleep" in command for command in marked_processes(mark).values()) == 5
    await living.end()


async def test_a_helper_without_an_environment_stays_with_its_living_parents_session(
    launcher: LauncherClient, mark: str, tmp_path: Path
) -> None:
    helper = f"open({str(tmp_path / 'up')!r}, 'w').close(); {NAP}"
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-S', '-c', {helper!r}], env={{}})"
    program = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {orphan!r}]); print(1, flush=True); {NAP}"
    )
    living = await run(launcher, program, ARENA_TOKEN="living")
    while not (await living.collect()).stdout or not (tmp_path / "up").exists():
        pass
    await (await run(launcher, "pass", ARENA_TOKEN="other")).exited
    assert len(members(living.pid)) == 2
    await living.end()
    assert members(living.pid) == []


async def test_leaving_kills_everything(mark: str) -> None:
    async with LauncherClient() as launcher:
        process = await run(launcher, FAMILY + NAP)
        assert process.pid in marked_processes(mark)
    assert marked_processes(mark) == {}


@pytest.mark.host_fault("launcher-killed")
async def test_a_launcher_that_is_killed_takes_its_processes_with_it_and_is_reported(mark: str) -> None:
    async with LauncherClient() as launcher:
        process = await run(launcher, NAP)
        pid = launcher_of(mark)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(LauncherLostError):
            await process.end(grace_s=PATIENCE_S)
        while not launcher.is_lost:
            await asyncio.sleep(0.005)
        with pytest.raises(LauncherLostError):
            await run(launcher, NAP)
    wait_until(lambda: marked_processes(mark) == {})


@pytest.mark.host_fault("launcher-killed")
async def test_daemons_and_directories_of_a_launcher_that_is_killed_are_removed_too(mark: str, tmp_path: Path) -> None:
    directory = tmp_path / "runtime"
    directory.mkdir()
    async with LauncherClient(remove=[directory]) as launcher:
        process = await run(launcher, FAMILY + f"print('up', flush=True); {NAP}", ARENA_TOKEN="killed")
        while not (await process.collect()).stdout:
            pass
        os.kill(launcher_of(mark), signal.SIGKILL)
        wait_until(lambda: not any("time.sleep" in command for command in marked_processes(mark).values()))
    wait_until(lambda: not directory.exists() and marked_processes(mark) == {})


@pytest.mark.parametrize("number", [None, signal.SIGTERM])
def test_at_the_end_of_stdin_and_at_term_it_kills_and_removes(
    mark: str, tmp_path: Path, number: signal.Signals | None
) -> None:
    directory = tmp_path / "runtime"
    directory.mkdir()
    program = Path(sys.modules[LauncherClient.__module__].__file__ or "").parent / "__main__.py"
    descriptors, theirs = socket.socketpair()
    command = [sys.executable, "-I", "-S", str(program), str(theirs.fileno()), str(directory)]
    with (
        descriptors,
        theirs,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[theirs.fileno()]
        ) as launcher,
    ):
        assert launcher.stdin is not None
        assert launcher.stdout is not None
        request = StartRequest([sys.executable, "-S", "-c", NAP], "/", {"HOME": os.environ["HOME"]})
        launcher.stdin.write(json.dumps({"do": "start", "id": 1, "request": request.to_json()}).encode() + b"\n")
        launcher.stdin.flush()
        assert b'"started"' in launcher.stdout.readline()
        if number is None:
            launcher.stdin.close()
        else:
            launcher.send_signal(number)
        assert launcher.wait() == 0
    assert not directory.exists()
    assert marked_processes(mark) == {}


async def test_a_cancelled_start_leaves_no_process(launcher: LauncherClient, mark: str) -> None:
    start = asyncio.create_task(run(launcher, NAP))
    await asyncio.sleep(0)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await (await run(launcher, "pass")).exited
    while any("time.sleep" in command for command in marked_processes(mark).values()):
        await asyncio.sleep(0.005)


@pytest.mark.host_fault("launcher-stopped")
async def test_a_launcher_that_is_stopped_is_lost_and_its_bots_end(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.framed_pipe.BEAT_S", 0.05)
    monkeypatch.setattr("arena.hosting.framed_pipe.SILENCE_S", PATIENCE_S)
    async with LauncherClient() as launcher:
        process = await run(launcher, NAP)
        os.kill(launcher.pid, signal.SIGSTOP)
        # Until now it may have been silent for want of a core.
        monkeypatch.setattr("arena.hosting.framed_pipe.SILENCE_S", 1.0)
        with pytest.raises(LauncherLostError):
            await process.wait(PATIENCE_S)
    wait_until(lambda: marked_processes(mark) == {})


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


CHILD_IN = """
import ctypes, os, time
namespaces = {namespaces}
if namespaces and ctypes.CDLL(None).unshare(namespaces) != 0:
    raise SystemExit("unshare")
child = os.fork()
if not child:
    {child}
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT) if {waits} else None
print("ready", flush=True)
time.sleep(3600)
"""
NEW_USER_AND_PID = 0x30000000


@contextmanager
def parent_of(child: str, namespaces: int, *, waits: bool) -> Iterator[int]:
    """A process whose child lives, or has ended and is not reaped; alone in `namespaces`."""
    program = CHILD_IN.format(child=child, namespaces=namespaces, waits=waits)
    with subprocess.Popen([sys.executable, "-S", "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "ready\n"
            yield parent.pid
        finally:
            for pid in reversed(list_descendants(parent.pid)):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.host_fault("first-process-not-reaped")
@pytest.mark.needs("sandbox")
def test_a_sandbox_whose_first_process_has_ended_is_no_fault_of_the_host() -> None:
    with parent_of("pass", NEW_USER_AND_PID, waits=True) as parent:
        NamespaceFreezer(parent).freeze()
        NamespaceFreezer(parent).thaw()


def test_the_namespace_of_the_machine_itself_is_never_signalled() -> None:
    with parent_of("time.sleep(3600)", 0, waits=False) as parent, pytest.raises(FreezeError):
        NamespaceFreezer(parent).thaw()
