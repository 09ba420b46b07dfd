"""A process of ours as the coordinator holds it: who else has its pipes, how long it is silent or waits for room."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from arena.executor.child_handle import ChildProcess
from tests.executor.pretended import child_of, run
from tests.support.patience import PATIENCE_S
from tests.support.processes import held_descriptors

# Whoever is stopped between fork and exec holds the pipes of his parent, and nobody can tell him to go on.
LEAVES_A_HOLDER = """
import os, signal, sys
holder = os.fork()
if not holder:
    os.close(1)
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
os.waitpid(holder, os.WUNTRACED)
sys.stderr.write(f"{holder}\\n")
"""
SAYS = """
import json, os, signal, struct, sys, time
def say(**head):
    text = json.dumps(head).encode()
    os.write(1, struct.pack(">II", len(text), 0) + text)
"""
FOR_EVER = "signal.sigwait({signal.SIGUSR1})\n"
KEEPS_ITS_OUTPUT = """
if not os.fork():
    sys.stdin.read(1)  # until the test says so
    say(event="late")
    os._exit(0)
say(event="ready")
os._exit(0)
"""
SPEAKS_LATE = """
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
say(event="alive", launcher=-1)
signal.sigwait({signal.SIGUSR1})
say(event="late")
"""


@pytest.mark.host_fault("worker-killed")
async def test_the_death_of_a_process_is_noticed_though_another_one_holds_its_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.executor.child_handle.END_GRACE_S", 0.2)
    child = child_of(LEAVES_A_HOLDER)
    try:
        assert await run(child) == (False, 0)
    finally:
        os.kill(int(child.last_words()), signal.SIGKILL)


async def test_a_process_whose_output_has_ended_is_waited_for() -> None:
    program = "import os, sys\nos.close(1)\nos.close(2)\nsys.stdin.read()\nos._exit(7)"
    silent = asyncio.Event()
    child = ChildProcess(lambda: [sys.executable, "-I", "-S", "-c", program], lambda *_: None, silent.set)
    running = asyncio.create_task(run(child))
    await silent.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not running.done()
    child.stop()
    assert await running == (False, 7)


async def test_a_process_that_does_not_end_after_its_answers_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.executor.child_handle.END_GRACE_S", 0.05)
    assert await run(child_of(f"import os, signal\nos.close(1)\nos.close(2)\n{FOR_EVER}")) == (False, -9)


async def test_last_words_that_come_after_the_end_are_heard(tmp_path: Path) -> None:
    """A process has ended, and whoever has its pipes ends the output first, and the errors a moment later."""
    program = (
        "import os, time\n"
        "if not os.fork():\n"
        f"    while not os.path.exists({str(tmp_path / 'now')!r}): time.sleep(0.01)\n"
        "    os.close(1)\n"
        "    time.sleep(0.1)\n"
        "    os.write(2, b'first\\nlast words\\n')\n"
    )
    child = child_of(program)
    running = asyncio.create_task(run(child))
    while child._process is None or child._process.returncode is None:
        await asyncio.sleep(0.005)
    (tmp_path / "now").touch()
    assert await running == (False, 0)
    assert child.last_words() == "last words"


async def test_whoever_cannot_take_an_answer_ends_the_process() -> None:
    def refuse(_head: Mapping[str, Any], _blob: bytes) -> None:
        raise ValueError("no")

    child = child_of(SAYS + "say(event='ready')\n" + FOR_EVER, refuse)
    with pytest.raises(ValueError, match="no"):
        await run(child)
    assert child._process is not None
    await child._process.wait()


@pytest.mark.host_fault("output-held-by-another")
async def test_the_end_of_a_process_is_noticed_though_another_one_holds_its_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a process does that was stopped between fork and exec; what it says later is heard by nobody."""
    monkeypatch.setattr("arena.executor.child_handle.BEAT_S", 0.02)
    monkeypatch.setattr("arena.executor.child_handle.END_GRACE_S", 0.2)
    heard: list[object] = []
    child = child_of(SAYS + KEEPS_ITS_OUTPUT, lambda head, _: heard.append(head["event"]))
    assert await run(child) == (True, 0)
    child.send({"do": "speak"})
    assert heard == ["ready"]


class Undying:
    """Processes that live on when they are killed, as one in uninterruptible sleep does, until the test is over."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.killed: list[subprocess.Popen[bytes]] = []
        monkeypatch.setattr(subprocess.Popen, "kill", lambda process: self.killed.append(process))

    async def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Have them end after all, by another signal."""
        for process in self.killed:
            while process.returncode is None:
                process.send_signal(number)
                await asyncio.sleep(0.005)


@pytest.fixture
async def undying(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Undying]:
    monkeypatch.setattr("arena.executor.child_handle.BEAT_S", 0.02)
    monkeypatch.setattr("arena.executor.child_handle.END_GRACE_S", 0.2)
    found = Undying(monkeypatch)
    yield found
    await found.end()


@pytest.mark.host_fault("worker-that-cannot-be-killed")
async def test_a_process_that_does_not_end_when_it_is_killed_is_given_up(
    monkeypatch: pytest.MonkeyPatch, undying: Undying
) -> None:
    monkeypatch.setattr("arena.executor.child_handle.SILENCE_S", 0.1)
    heard: list[object] = []
    child = child_of(SAYS + SPEAKS_LATE, lambda head, _: heard.append(head["event"]))
    assert await run(child) == (True, None)
    await undying.end(signal.SIGUSR1)  # it goes on at last
    assert heard == []
    why = "it said nothing for 0.1 s, and was killed"
    assert str(child.describe_death(None)) == f"its worker does not end, and was given up: {why}"


@pytest.mark.host_fault("worker-that-cannot-be-killed")
@pytest.mark.parametrize("closes", ["", "os.close(1)\n"])
async def test_nobody_waits_for_a_process_that_was_told_to_end_and_cannot(undying: Undying, closes: str) -> None:
    child = child_of(f"{SAYS}say(event='ready')\n{closes}{FOR_EVER}", lambda *_: child.kill())
    assert await run(child) == (True, None)
    assert undying.killed


@pytest.mark.host_fault("worker-that-cannot-be-killed")
async def test_nobody_waits_for_one_whose_answer_cannot_be_taken_and_that_does_not_end(undying: Undying) -> None:
    def refuse(_head: Mapping[str, Any], _blob: bytes) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await run(child_of(SAYS + "say(event='ready')\n" + FOR_EVER, refuse))
    assert undying.killed


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system cannot hold a process that is no child")
async def test_the_launcher_of_a_process_that_ended_is_ended_and_nothing_stays_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.executor.child_handle.END_GRACE_S", 0.05)
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", f"import signal\n{FOR_EVER}"]) as launcher:
        before = held_descriptors()
        beat = f"say(event='alive', launcher={launcher.pid})\n"
        assert await run(child_of(SAYS + 3 * beat)) == (True, 0)
        assert launcher.wait() == -9
        assert held_descriptors() == before


@pytest.mark.parametrize(
    ("code", "ended", "status", "number"),
    [
        (3, "exit status 3", 3, 0),
        (-9, "SIGKILL", 0, 9),
        (-1, "SIGHUP", 0, 1),
        (0, "exit status 0", 0, 0),
    ],
)
def test_a_death_is_told_with_its_status_or_its_signal(code: int | None, ended: str, status: int, number: int) -> None:
    error = child_of("").describe_death(code)
    assert str(error) == f"its worker ended ({ended})"
    assert error.evidence == {"ended": ended, "exit_status": status, "signal": number, "stderr": ""}


class Clock:
    """Counts what is slept instead of sleeping, so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int = 100) -> None:
        self.slept: list[float] = []
        self.most = most
        monkeypatch.setattr(asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if len(self.slept) > self.most:
            raise TimeoutError


class Killed:
    """A process that can only be killed."""

    is_killed = False
    returncode = None

    def kill(self) -> None:
        self.is_killed = True


async def kill_if_silent(child: ChildProcess) -> bool:
    process = Killed()
    try:
        await child._kill_if_silent(cast("Any", process))
    except TimeoutError:
        assert not process.is_killed
    return process.is_killed


async def say(child: ChildProcess, *events: str) -> None:
    """The process says these things, and ends its output."""
    reader = asyncio.StreamReader()
    for event in events:
        text = f'{{"event": "{event}", "launcher": -1}}'.encode()
        reader.feed_data(len(text).to_bytes(4, "big") + bytes(4) + text)
    reader.feed_eof()
    await child._serve(reader)
    assert child._has_spoken is bool(events)


@pytest.mark.parametrize("events", [("alive",), ("alive", "other")])
async def test_a_process_that_said_nothing_for_thirty_seconds_is_killed(
    monkeypatch: pytest.MonkeyPatch, events: tuple[str, ...]
) -> None:
    child, clock = child_of(""), Clock(monkeypatch)
    await say(child, *events)
    assert await kill_if_silent(child)
    assert clock.slept == [1.0] * 30
    assert child.last_words() == "it said nothing for 30 s, and was killed"


@pytest.mark.parametrize("said", ["alive", "other"])
async def test_whatever_a_process_says_its_silence_begins_anew(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    child, clock = child_of(""), Clock(monkeypatch, most=29)
    await say(child, "alive")
    assert not await kill_if_silent(child)
    await say(child, said)
    clock.slept.clear()
    assert not await kill_if_silent(child)
    clock.most = 100
    assert await kill_if_silent(child)


async def test_a_process_that_never_said_that_it_goes_on_may_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_of("")
    Clock(monkeypatch)
    await say(child, "ready")
    assert not await kill_if_silent(child)


@pytest.mark.parametrize("said", [(), ("ready",)])
async def test_one_that_should_have_said_so_is_killed_after_five_minutes(
    monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...]
) -> None:
    """As a worker that is stopped before it could say anything."""
    child = ChildProcess(list, lambda *_: None, lambda: None, says_that_it_goes_on=True)
    clock = Clock(monkeypatch, most=299)
    await say(child, *said)
    assert not await kill_if_silent(child)
    clock.slept, clock.most = [], 1000
    assert await kill_if_silent(child)
    assert clock.slept == [1.0] * 300
    assert child.last_words() == "it said nothing for 300 s, and was killed"


async def test_a_process_that_ends_may_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_of("")
    Clock(monkeypatch)
    await say(child, "alive")
    child.stop()
    assert not await kill_if_silent(child)


async def start(monkeypatch: pytest.MonkeyPatch, number: int, *, is_stopping: bool = False) -> list[float]:
    """How long a start waits between tries that all fail so."""

    def fail() -> list[str]:
        raise OSError(number, os.strerror(number))

    clock = Clock(monkeypatch)
    child = ChildProcess(fail, lambda *_: None, lambda: None)
    if is_stopping:
        child.stop()
    assert await child.run() == (False, None)
    assert os.strerror(number) in child.last_words()
    return clock.slept


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE])
async def test_a_start_waits_for_room_longer_and_longer_for_a_minute(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    slept = await start(monkeypatch, number)
    assert slept == pytest.approx([0.2 * 2**times for times in range(9)])
    assert sum(slept[:-1]) < 60 <= sum(slept)


async def test_a_start_that_waited_as_long_as_it_may_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.executor.child_handle.FIRST_PAUSE_S", 0.25)
    monkeypatch.setattr("arena.executor.child_handle.ROOM_PATIENCE_S", 0.75)
    assert await start(monkeypatch, errno.EAGAIN) == [0.25, 0.5]


async def test_a_start_that_fails_for_another_reason_or_is_not_wanted_any_more_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await start(monkeypatch, errno.ENOENT) == []
    assert await start(monkeypatch, errno.EAGAIN, is_stopping=True) == []


async def test_a_start_that_waits_for_room_ends_as_soon_as_it_is_not_wanted_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[int] = []

    def fail() -> list[str]:
        tries.append(errno.EMFILE)
        asyncio.get_running_loop().call_soon(child.stop)  # while it waits for the next try
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("arena.executor.child_handle.FIRST_PAUSE_S", 10 * PATIENCE_S)
    child = ChildProcess(fail, lambda *_: None, lambda: None)
    async with asyncio.timeout(PATIENCE_S):
        assert await child.run() == (False, None)
    assert len(tries) == 2
