"""A process of ours as the coordinator holds it, whoever else has its pipes."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.executor.child import ChildProcess
from tests.executor.children import child_of, run
from tests.support.held import held_descriptors

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


@pytest.mark.host_fault("worker-killed")
async def test_the_death_of_a_process_is_noticed_though_another_one_holds_its_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.executor.child.END_GRACE_S", 0.2)
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
    monkeypatch.setattr("arena.executor.child.END_GRACE_S", 0.05)
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


KEEPS_ITS_OUTPUT = """
if not os.fork():
    sys.stdin.read(1)  # until the test says so
    say(event="late")
    os._exit(0)
say(event="ready")
os._exit(0)
"""


@pytest.mark.host_fault("output-held-by-another")
async def test_the_end_of_a_process_is_noticed_though_another_one_holds_its_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a process does that was stopped between fork and exec; what it says later is heard by nobody."""
    monkeypatch.setattr("arena.executor.child.BEAT_S", 0.02)
    monkeypatch.setattr("arena.executor.child.END_GRACE_S", 0.2)
    heard: list[object] = []
    child = child_of(SAYS + KEEPS_ITS_OUTPUT, lambda head, _: heard.append(head["event"]))
    assert await run(child) == (True, 0)
    child.send({"do": "speak"})
    assert heard == ["ready"]


SPEAKS_LATE = """
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
say(event="alive", launcher=-1)
signal.sigwait({signal.SIGUSR1})
say(event="late")
"""


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
    monkeypatch.setattr("arena.executor.child.BEAT_S", 0.02)
    monkeypatch.setattr("arena.executor.child.END_GRACE_S", 0.2)
    found = Undying(monkeypatch)
    yield found
    await found.end()


@pytest.mark.host_fault("worker-that-cannot-be-killed")
async def test_a_process_that_does_not_end_when_it_is_killed_is_given_up(
    monkeypatch: pytest.MonkeyPatch, undying: Undying
) -> None:
    monkeypatch.setattr("arena.executor.child.SILENCE_S", 0.1)
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
    monkeypatch.setattr("arena.executor.child.END_GRACE_S", 0.05)
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
