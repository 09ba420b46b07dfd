"""Matches on a cluster: they end as they do here, whatever becomes of its machines, and nothing is left of them."""

import asyncio
import ctypes
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from arena.executor.interface import Executor, ExecutorFailedError
from arena.executor.local import LocalExecutor
from arena.executor.ray.executor import RayExecutor
from arena.executor.ray.facts import own_facts
from arena.executor.ray.proving import Demands, RayOptions
from arena.hosting.removal import remove_tree
from arena.match.live import LiveEndEvent, LiveEntryEvent
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.worker_report import MatchReport
from tests.support.patience import PATIENCE_S, until
from tests.support.processes import marked_processes, wait_until
from tests.support.small_cluster import SmallCluster

PR_GET_CHILD_SUBREAPER = 37
OURS = ("arena.worker", "ray::Slot", "ray::NodeAgent")
together = pytest.mark.asyncio(loop_scope="module")


def ours(mark: str, names: Sequence[str] = OURS) -> list[str]:
    """The processes of ours in a cluster: its workers and actors."""
    return [line for line in marked_processes(mark).values() if any(name in line for name in names)]


async def only_process(mark: str, name: str) -> int:
    """The process of that name, as soon as those of executors that were left have ended."""

    def found() -> list[int]:
        return [pid for pid, line in marked_processes(mark).items() if name in line]

    await until(lambda: len(found()) == 1)
    return found()[0]


async def until_ready(executor: RayExecutor, workers: int) -> None:
    """Wait until so many workers can play: a machine that proves itself late has joined then, and gets matches."""
    await until(lambda: sum(worker.is_ready for worker in executor._pool.workers) == workers)


async def play(executor: Executor, specs: Sequence[MatchSpec]) -> list[MatchReport]:
    async with asyncio.timeout(PATIENCE_S):
        return list(await asyncio.gather(*map(executor.run, specs)))


def digests(reports: Sequence[MatchReport]) -> list[tuple[str, str]]:
    return [(report.match_id, report.game_digest) for report in reports]


def versions(cache: Path) -> set[str]:
    """Those that machines keep."""
    return {path.name for path in cache.glob("[!.]*")}


@pytest.fixture(scope="module")
def expected(specs: list[MatchSpec], mark: str) -> list[tuple[str, str]]:
    """What the matches come to on this machine."""

    async def play_here() -> list[tuple[str, str]]:
        async with LocalExecutor(2) as executor:
            return digests(await play(executor, specs))

    return asyncio.run(play_here())


class Shared:
    """An executor, and what it said."""

    def __init__(self, cluster: SmallCluster) -> None:
        self.said: list[str] = []
        self.executor = RayExecutor(RayOptions(cluster.address, workers=1, report=self.said.append))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(cluster: SmallCluster) -> AsyncIterator[Shared]:
    """One for the tests behind those that need one of their own; each leaves it as it was."""
    made = Shared(cluster)
    async with made.executor:
        yield made


async def test_matches_end_as_they_do_here_and_nothing_is_left(
    cluster: SmallCluster, specs: list[MatchSpec], expected: list[tuple[str, str]], mark: str, cache: Path
) -> None:
    before = versions(cache)
    with cluster.machine() as node:
        async with RayExecutor(RayOptions(cluster.address)) as executor:
            await until_ready(executor, 2)
            reports = await play(executor, specs)
            assert len(ours(mark, OURS[:1])) == 2
            adopts = ctypes.c_int(-1)
            ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(adopts))
            assert adopts.value == 0, (
                "whoever loses its parent becomes a child of this process, and is waited for by nobody"
            )
        assert digests(reports) == expected
        assert versions(cache) - before == {specs[0].seats[0].version}
        wait_until(lambda: not ours(mark))
        cluster.remove(node, is_dead=False)


@pytest.mark.host_fault("corrupt-archive-at-a-node")
async def test_a_version_that_was_damaged_where_it_is_kept_comes_anew(
    cluster: SmallCluster, specs: list[MatchSpec], expected: list[tuple[str, str]], cache: Path
) -> None:
    file = cache / specs[0].seats[0].version / "main.py"
    if not file.exists():
        async with RayExecutor(RayOptions(cluster.address)) as executor:
            await play(executor, specs[:1])
    file.chmod(0o644)
    file.write_text("import sys; sys.exit(1)\n", encoding="utf-8")
    async with RayExecutor(RayOptions(cluster.address)) as executor:
        assert digests(await play(executor, specs[:2])) == expected[:2]
    assert "sys.exit(1)" not in file.read_text("utf-8")


@pytest.mark.host_fault("another-version-at-a-node", "clock-of-a-node-off-by-hours")
async def test_a_machine_that_is_not_as_it_must_be_plays_nothing_and_that_is_told_once(cluster: SmallCluster) -> None:
    demands = Demands(
        games=["nim"],
        ours=lambda: replace(own_facts(), arena="9.9", games={"nim": "4"}),
        now_s=lambda: time.time() + 7200,
    )
    said: list[str] = []
    with pytest.raises(ExecutorFailedError, match="no machine of the cluster can play: ") as told:
        async with RayExecutor(RayOptions(cluster.address, demands=demands, report=said.append)):
            pass
    assert re.search("it has version .* of the arena, and 9.9 is here", str(told.value))
    assert "it has rules version none of nim, and 4 is here" in str(told.value)
    assert "its clock is 7200 s behind ours" in str(told.value)
    (sentence,) = said
    assert "gets no matches" in sentence


@pytest.mark.host_fault("node-lost")
async def test_what_a_lost_machine_played_is_played_again_elsewhere_and_one_that_joins_plays_at_once(
    cluster: SmallCluster, specs: list[MatchSpec], expected: list[tuple[str, str]], mark: str
) -> None:
    said: list[str] = []
    async with RayExecutor(RayOptions(cluster.address, report=said.append)) as executor:
        with cluster.machine() as node:
            await until_ready(executor, 2)
            playing = asyncio.create_task(play(executor, specs))
            await until(lambda: sum(worker.load for worker in executor._pool.workers) == 4)
            cluster.kill(node)
            assert digests(await playing) == expected
            await until(lambda: bool(said))
            assert "was lost" in said[0]
            await until(lambda: executor.slots() == 1)
    wait_until(lambda: not ours(mark))


@together
async def test_who_watches_sees_each_move_and_a_cancelled_match_is_lost(
    shared: Shared, specs: list[MatchSpec], stuck: MatchSpec
) -> None:
    executor = shared.executor
    assert executor.slots() == 1
    first, second = (asyncio.create_task(executor.run(spec)) for spec in (specs[0], stuck))
    await asyncio.sleep(0)
    async with aclosing(executor.watch(specs[0].match_id)) as watching:
        events = [event async for event in watching]
    assert sum(isinstance(event, LiveEntryEvent) for event in events) == (await first).plies
    assert isinstance(events[-1], LiveEndEvent)
    await executor.cancel(stuck.match_id)
    with pytest.raises(MatchLostError, match="cancelled"):
        await second


@pytest.mark.host_fault("version-gone-at-a-node")
@together
async def test_a_version_that_goes_while_a_coordinator_plays_it_comes_anew(
    shared: Shared, specs: list[MatchSpec], cache: Path
) -> None:
    fresh = [replace(spec, uses_fresh_bots=True) for spec in specs[:3]]
    await play(shared.executor, fresh[:1])
    remove_tree(str(cache / fresh[0].seats[0].version))
    with pytest.raises(MatchLostError) as caught:
        await shared.executor.run(fresh[1])
    assert caught.value.cause is HostCause.HOSTING_FAILED
    assert len(await play(shared.executor, fresh)) == 3


@together
async def test_a_bot_whose_runtime_no_machine_has_is_lost_with_the_reason(
    shared: Shared, specs: list[MatchSpec], seat: SeatSpec
) -> None:
    other = replace(specs[0], match_id="other", seats=(seat, replace(seat, runtime="f" * 64)))
    with pytest.raises(MatchLostError, match="its runtime 'arena' is another one") as caught:
        await shared.executor.run(other)
    assert [sentence for sentence in shared.said if "cannot play there" in sentence] == [str(caught.value)]
    assert caught.value.cause is HostCause.HOSTING_FAILED
    assert len(await play(shared.executor, specs[:1])) == 1


@pytest.mark.host_fault("slot-killed-at-a-node")
@together
async def test_a_slot_that_is_lost_alone_is_made_anew_and_its_match_is_played_again(
    shared: Shared, specs: list[MatchSpec], expected: list[tuple[str, str]], mark: str
) -> None:
    said = list(shared.said)
    await play(shared.executor, specs[:1])
    pid = await only_process(mark, OURS[1])
    playing = asyncio.create_task(play(shared.executor, specs))
    await until(lambda: any(worker.load for worker in shared.executor._pool.workers))
    os.kill(pid, signal.SIGKILL)
    assert digests(await playing) == expected
    assert shared.said == said


@pytest.mark.host_fault("worker-killed-at-a-node")
@together
async def test_how_a_worker_ended_elsewhere_is_told_and_it_is_started_again(
    shared: Shared, specs: list[MatchSpec], stuck: MatchSpec, mark: str
) -> None:
    await play(shared.executor, specs[:1])
    pid = await only_process(mark, f"-m {OURS[0]} ")
    playing = asyncio.create_task(shared.executor.run(stuck))
    await until(lambda: bool(shared.executor._pool.workers[0].load))
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(MatchLostError, match=r"its worker ended \(SIGKILL\)") as caught:
        await playing
    assert caught.value.evidence["signal"] == signal.SIGKILL
    assert len(await play(shared.executor, specs[1:2])) == 1
