"""Executors of which a test needs one for itself: cores, processes that are stopped or killed, and their ends."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys

import pytest

from arena.executor.interface import ExecutorFailedError
from arena.executor.local import LocalExecutor
from arena.hosting.procfs.machine import count_cores
from arena.match.result import MatchLostError
from arena.match.worker_report import MatchReport
from tests.executor.test_local import ENDLESS, HONEST, appears, play
from tests.support.patience import PATIENCE_S
from tests.support.processes import marked_processes, wait_until
from tests.support.specs import king_spec

pytestmark = pytest.mark.needs("minutes")


async def test_a_match_does_not_wait_behind_another_while_a_worker_is_still_starting() -> None:
    async with LocalExecutor(2) as executor:
        played = [asyncio.ensure_future(executor.run(king_spec(f"m{index}", ENDLESS))) for index in range(2)]
        while not all(worker.is_ready for worker in executor._pool.workers):
            await asyncio.sleep(0.005)
        assert [worker.load for worker in executor._pool.workers] == [1, 1]
        for match in played:
            match.cancel()
        await asyncio.gather(*played, return_exceptions=True)


@pytest.mark.skipif(count_cores() < 2, reason="this machine has one core")
async def test_a_worker_that_is_granted_cores_has_them_with_its_bots(mark: str) -> None:
    async with LocalExecutor(1, cores=2) as executor:
        await play(executor, 1)
        cores = frozenset(sorted(os.sched_getaffinity(0))[:2])
        assert {frozenset(os.sched_getaffinity(pid)) for pid in marked_processes(mark)} == {cores}


@pytest.mark.parametrize(
    "dies",
    [
        pytest.param(True, marks=pytest.mark.host_fault("worker-stopped")),
        pytest.param(False, marks=pytest.mark.host_fault("worker-that-cannot-be-killed")),
    ],
)
async def test_a_worker_that_is_stopped_is_replaced_with_its_launcher_and_the_rest_is_played(
    dies: bool, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    undying: list[subprocess.Popen[bytes]] = []
    if not dies:  # as in a call to a disk that hangs
        monkeypatch.setattr(subprocess.Popen, "kill", lambda process: undying.append(process))
    monkeypatch.setattr("arena.executor.child_handle.BEAT_S", 0.1)
    # Who is not stopped may be silent for want of a core.
    monkeypatch.setattr("arena.executor.child_handle.SILENCE_S", PATIENCE_S)
    monkeypatch.setattr("arena.executor.child_handle.END_GRACE_S", 0.2)
    async with LocalExecutor(1) as executor:
        lost = asyncio.create_task(executor.run(king_spec("one", ENDLESS)))
        waiting = asyncio.create_task(executor.run(king_spec("two", HONEST)))
        await appears(mark, "silent")
        stopped = [pid for pid, command in marked_processes(mark).items() if "silent" not in command]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr("arena.executor.child_handle.SILENCE_S", 2.0)
        with pytest.raises(MatchLostError, match="it said nothing for 2 s"):
            await lost
        monkeypatch.setattr("arena.executor.child_handle.SILENCE_S", PATIENCE_S)
        assert (await waiting).result.by_rules
    for pid in stopped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)  # its guardian clears up
    wait_until(lambda: marked_processes(mark) == {})
    wait_until(lambda: all(process.poll() is not None for process in undying))


async def test_leaving_ends_everything_at_once(mark: str) -> None:
    async with LocalExecutor(2) as executor:
        matches = [asyncio.create_task(executor.run(king_spec(f"m{index}", ENDLESS))) for index in range(5)]
        await appears(mark, "silent")
    for match in matches:
        with pytest.raises((ExecutorFailedError, MatchLostError)):
            await match
    assert marked_processes(mark) == {}
    with pytest.raises(ExecutorFailedError, match="closed"):
        await executor.run(king_spec("late", HONEST))


@pytest.mark.host_fault("report-that-cannot-be-read")
async def test_a_report_that_cannot_be_read_fails_everything_and_hangs_nothing(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    def decode(*_: object) -> MatchReport:
        raise KeyError("replay")

    monkeypatch.setattr("arena.executor.worker_handle.MatchReport.from_json", decode)
    async with LocalExecutor(1) as executor:
        for name in ("m1", "m2"):
            with pytest.raises(ExecutorFailedError, match="cannot be served: KeyError"):
                await executor.run(king_spec(name, HONEST))
    assert marked_processes(mark) == {}


@pytest.mark.host_fault("command-killed")
@pytest.mark.parametrize("behaviour", ["silent", "leave-daemons"])
def test_a_killed_coordinator_leaves_no_process_and_no_directory(
    mark: str, tmp_path_factory: pytest.TempPathFactory, behaviour: str
) -> None:
    place = tmp_path_factory.mktemp("t")  # a long path is passed over, for the sockets in it
    command = [sys.executable, "-m", "tests.support.coordinator", "2", behaviour]
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as coordinator:
        assert coordinator.stdout is not None
        assert coordinator.stdout.readline() == b"ordered\n"
        wait_until(lambda: sum(behaviour in command for command in marked_processes(mark).values()) >= 7)
        directories = list(place.glob("kingmaker-arena-*"))
        coordinator.kill()
    assert len(directories) == 2
    wait_until(lambda: marked_processes(mark) == {})
    wait_until(lambda: list(place.iterdir()) == [])
