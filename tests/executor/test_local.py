"""Worker processes: matches in parallel, deaths, cancelling, and nothing left behind."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from arena.executor import child_handle as child
from arena.executor.interface import ExecutorFailedError
from arena.executor.local import LocalExecutor, default_warm_mb
from arena.hosting.procfs.machine import MEGABYTE, machine_bytes
from arena.match.result import MatchLostError
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from tests.support.patience import PATIENCE_S
from tests.support.processes import marked_processes
from tests.support.specs import king_spec, scripted

HONEST = [scripted()] * 2
ENDLESS = [scripted("silent")] * 2
# However long a bot takes to end, it waits for that, so that how it ended is evidence.
PATIENT_WORKER = f"""
import runpy
from arena.worker import starter

starter.LEAVE_GRACE_S = {PATIENCE_S}
runpy.run_module("arena.worker", run_name="__main__")
"""


minutes = pytest.mark.needs("minutes")
shared = pytest.mark.asyncio(loop_scope="module")
"""For tests of the executor that they share."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(mark: str) -> AsyncIterator[LocalExecutor]:
    """One worker for all that leave it as they find it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "worker_command", lambda words: [sys.executable, "-c", PATIENT_WORKER, *words])
        async with LocalExecutor(1) as executor:
            yield executor


def workers(mark: str) -> list[int]:
    return [pid for pid, command in marked_processes(mark).items() if "arena.worker" in command]


async def play(executor: LocalExecutor, count: int) -> list[MatchReport]:
    specs = [king_spec(f"m{index}", HONEST, chance_seed=index) for index in range(count)]
    return list(await asyncio.gather(*(executor.run(spec) for spec in specs)))


async def appears(mark: str, word: str) -> None:
    """A process with that word in its command line has started."""
    while not any(word in command for command in marked_processes(mark).values()):
        await asyncio.sleep(0.005)


@shared
async def test_matches_are_played_and_reported_each_to_its_order(executor: LocalExecutor) -> None:
    reports = await play(executor, 3)
    assert [report.match_id for report in reports] == [f"m{index}" for index in range(3)]
    assert all(report.result.by_rules and verify(report.replay) == [] for report in reports)


@minutes
@shared
async def test_two_workers_play_the_same_as_one(executor: LocalExecutor, mark: str) -> None:
    reports = await play(executor, 4)
    others = marked_processes(mark).keys()
    async with LocalExecutor(2, pin=False) as two:
        assert two.slots() == 2
        assert [report.game_digest for report in await play(two, 4)] == [report.game_digest for report in reports]
    assert marked_processes(mark).keys() == others


@shared
async def test_a_bots_fault_comes_back_whole(executor: LocalExecutor) -> None:
    report = await executor.run(king_spec("m1", [scripted(), scripted("crash"), scripted()]))
    (fault,) = report.result.faults
    assert (fault.seat, fault.cause, fault.evidence["signal"]) == (1, "DISCONNECTED", signal.SIGSEGV)
    assert report.result.forfeits == (1,)
    assert report.result.ranks[1] == 3


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin a process to a core")
@shared
async def test_a_worker_and_its_bots_stay_on_one_core(executor: LocalExecutor, mark: str) -> None:
    await play(executor, 1)
    (worker,) = workers(mark)
    (core,) = os.sched_getaffinity(worker)
    assert {frozenset(os.sched_getaffinity(pid)) for pid in marked_processes(mark)} == {frozenset({core})}


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin a process to a core")
def test_workers_share_no_core_where_several_are_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3, 5, 7, 9})
    assert LocalExecutor(2, cores=2)._cores == [(1, 3), (5, 7)]
    assert LocalExecutor(7)._cores == [(1,), (3,), (5,), (7,), (9,), (1,), (3,)]
    with pytest.raises(ValueError, match="3 workers with 2 cores each on a machine of 5"):
        LocalExecutor(3, cores=2)


@pytest.mark.host_fault("ctrl-c")
@shared
async def test_ctrl_c_in_a_terminal_is_only_for_the_coordinator(executor: LocalExecutor, mark: str) -> None:
    await play(executor, 1)
    assert all(os.getsid(pid) != os.getsid(0) for pid in marked_processes(mark))


@pytest.mark.host_fault("worker-killed")
@shared
async def test_a_worker_that_dies_loses_the_match_it_played_and_another_plays_those_that_waited(
    executor: LocalExecutor, mark: str
) -> None:
    lost = asyncio.create_task(executor.run(king_spec("one", ENDLESS)))
    waiting = [asyncio.create_task(executor.run(king_spec(name, HONEST))) for name in ("two", "three")]
    await appears(mark, "silent")
    (worker,) = workers(mark)
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(MatchLostError, match="its worker ended"):
        await lost
    for match in waiting:
        assert (await match).result.by_rules
    assert worker not in workers(mark)
    assert not any("silent" in command for command in marked_processes(mark).values())


@shared
async def test_an_order_that_cannot_be_played_is_lost_with_the_reason(executor: LocalExecutor) -> None:
    with pytest.raises(MatchLostError, match="rules version none"):
        await executor.run(king_spec("m1", HONEST, rules_version="none"))
    assert await play(executor, 1)


@shared
async def test_a_match_can_be_cancelled_while_it_is_played_or_waits(executor: LocalExecutor, mark: str) -> None:
    matches = {name: asyncio.create_task(executor.run(king_spec(name, ENDLESS))) for name in ("a", "b", "c")}
    await appears(mark, "silent")
    for name in ("c", "b", "a", "unknown"):
        await executor.cancel(name)
    for match in matches.values():
        with pytest.raises(MatchLostError, match="cancelled"):
            await match
    assert await play(executor, 2)


@shared
async def test_a_caller_that_goes_away_takes_its_match_with_it(executor: LocalExecutor, mark: str) -> None:
    match = asyncio.create_task(executor.run(king_spec("a", ENDLESS)))
    await appears(mark, "silent")
    match.cancel()
    with pytest.raises(asyncio.CancelledError):
        await match
    assert (await executor.run(king_spec("a", HONEST))).result.by_rules


@shared
async def test_one_match_is_not_ordered_twice_at_once(executor: LocalExecutor) -> None:
    match = asyncio.create_task(executor.run(king_spec("a", HONEST)))
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="played already"):
        await executor.run(king_spec("a", HONEST))
    await match


@pytest.mark.host_fault("workers-that-do-not-start")
async def test_workers_that_do_not_start_are_given_up_with_their_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [sys.executable, "-c", "raise SystemExit('no module named arena')"]
    monkeypatch.setattr(child, "worker_command", lambda _words: broken)
    async with LocalExecutor(1) as executor:
        with pytest.raises(ExecutorFailedError, match=r"3 times before it was ready.*no module named arena"):
            await executor.run(king_spec("m1", HONEST))


async def test_workers_whose_program_is_missing_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "worker_command", lambda _words: ["/no/such/python"])
    async with LocalExecutor(1) as executor:
        with pytest.raises(ExecutorFailedError, match=r"3 times before it was ready.*No such file.*/no/such/python"):
            await executor.run(king_spec("m1", HONEST))


def test_at_least_one_worker_is_needed() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        LocalExecutor(0)


def test_idle_bots_may_hold_a_part_of_the_machines_memory_by_default() -> None:
    assert 0 < default_warm_mb() * MEGABYTE < machine_bytes()
