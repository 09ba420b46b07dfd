"""A machine without room: nobody is blamed who cannot start then, and starts wait."""

import asyncio
import errno
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from arena.executor.child import ChildProcess
from arena.hosting.errors import HostBusyError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.match.result import FaultCause
from arena.worker import process
from arena.worker.host import MatchHost
from arena.worker.process import check_room
from tests.support.machines import as_ordinary_user
from tests.support.specs import king_spec, scripted

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = [
    (resource.RLIMIT_CPU, 1_000, "-t"),
    pytest.param(resource.RLIMIT_FSIZE, 1 << 20, "-f", marks=pytest.mark.needs("minutes")),
]


@pytest.mark.host_fault("ulimit-of-processor-time", "ulimit-of-file-size")
@pytest.mark.parametrize(("which", "limit", "option"), LIMITS)
async def test_a_limit_of_this_host_that_bots_would_reach_is_told_and_nothing_is_played(
    which: int, limit: int, option: str
) -> None:
    def lower() -> None:
        resource.setrlimit(which, (limit, limit))

    command = [sys.executable, "-m", "arena.worker"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=lower, check=False)
    assert ended.returncode == 1
    assert f"this host sets a limit (ulimit {option}) of {limit}" in ended.stderr.decode()


@pytest.mark.host_fault("no-process-for-a-while")
async def test_a_start_waits_while_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    refusals = iter([HostBusyError("full")] * 5)

    async def start() -> str:
        for refusal in refusals:
            raise refusal
        return "started"

    assert await process.wait_for_room(start) == "started"


@pytest.mark.host_fault("no-process-for-long")
async def test_a_start_gives_up_when_there_is_no_room_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "ROOM_PATIENCE_S", 0.0)

    async def start() -> str:
        raise HostBusyError("full")

    with pytest.raises(HostBusyError):
        await process.wait_for_room(start)


@pytest.mark.host_fault("no-threads-for-a-bot")
async def test_a_bot_is_not_blamed_that_could_not_start_where_there_was_no_room(
    host: MatchHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = iter([False, True])
    monkeypatch.setattr("arena.worker.starter.has_room", lambda: next(rooms))
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    report = await host.play(king_spec("m1", [scripted("exit-at-once"), scripted(), scripted()]))
    assert next(rooms, None) is None  # it was started twice, and the second time was its own fault
    assert [fault.cause for fault in report.result.faults] == [FaultCause.START_FAILED]


@pytest.mark.host_fault("ulimit-of-processes")
async def test_a_limit_of_processes_leaves_no_room_for_a_bot() -> None:
    def ask() -> str:
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        return str(process.has_room())

    assert as_ordinary_user(ask) == "False"


@pytest.mark.host_fault("no-process-for-a-while")
@pytest.mark.parametrize("is_patient", [True, False])
async def test_a_worker_that_starts_again_waits_for_room_and_a_first_one_does_not(
    monkeypatch: pytest.MonkeyPatch, *, is_patient: bool
) -> None:
    rooms = iter([False, False, True])
    monkeypatch.setattr("arena.worker.process.has_room", lambda: next(rooms))
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    if is_patient:
        await check_room(asyncio.StreamReader(), is_patient=True)
    else:
        with pytest.raises(HostBusyError, match=r"no room for 64 more threads \(ulimit -u\)"):
            await check_room(asyncio.StreamReader(), is_patient=False)
    assert len(list(rooms)) == (0 if is_patient else 2)


async def test_a_worker_that_waits_for_room_ends_when_nobody_wants_it_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = asyncio.StreamReader()
    looks = count()

    def has_room() -> bool:
        if next(looks) == 2:
            commands.feed_eof()
        return False

    monkeypatch.setattr("arena.worker.process.has_room", has_room)
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    with pytest.raises(BrokenPipeError):
        await check_room(commands, is_patient=True)


@pytest.mark.host_fault("no-process-for-a-while")
async def test_no_room_for_a_fork_is_no_fault_of_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    async with LauncherClient() as launcher:
        monkeypatch.setattr(launcher, "command", refusing(launcher, errno.EAGAIN))
        with pytest.raises(HostBusyError, match="could not start"):
            await launcher.start(StartRequest([sys.executable], "/", {}))
        monkeypatch.undo()


def refusing(launcher: LauncherClient, number: int) -> Callable[..., None]:
    """Answer every start as a launcher does that cannot fork."""

    def command(asked: dict[str, object]) -> None:
        if asked["do"] == "start":
            event = {"event": "failed", "id": asked["id"], "error": "no", "errno": number, "missing": ""}
            launcher._on_failed(event)

    return command


@pytest.mark.host_fault("no-process-for-a-worker")
async def test_a_worker_is_started_again_when_there_is_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("arena.executor.child.FIRST_PAUSE_S", 0.001)
    tries = iter([BlockingIOError(errno.EAGAIN, "no room")] * 3)

    def command() -> list[str]:
        for refusal in tries:
            raise refusal
        return [sys.executable, "-c", ""]

    assert await ChildProcess(command, lambda *_: None, lambda: None).run() == (False, 0)
