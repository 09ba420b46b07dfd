"""The executor is restarted when it fails, and matches with remote bots go to their own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Self

import pytest

from arena.executor.interface import ExecutorFailedError
from arena.match.live import LiveEndEvent, LiveEvent
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.rpc.backoff import Backoff
from arena.service.logs import get_logger
from arena.service.scheduler import executor_supervisor as host
from arena.service.scheduler.executor_supervisor import ExecutorHost, MatchRouter
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import Slots
from arena.service.task_supervision import Health
from arena.tournament import circuit_breaker as host_watch
from arena.tournament.circuit_breaker import HostWatch
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import until


@asynccontextmanager
async def running(
    slots: Slots,
    health: Health,
    make: Callable[[], HeldExecutor],
    monkeypatch: pytest.MonkeyPatch,
    watch: HostWatch | None = None,
) -> AsyncIterator[ExecutorHost]:
    monkeypatch.setattr(host, "Backoff", lambda **_: Backoff(first_s=0.001))
    made = ExecutorHost(slots, make, health, get_logger("test"), watch)
    task = asyncio.create_task(made.run())
    await settle()
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.host_fault("host-fails-every-match")
@pytest.mark.parametrize("breaks", ["executor", "matches"])
async def test_a_host_that_fails_is_replaced_and_what_waited_is_played(
    monkeypatch: pytest.MonkeyPatch, breaks: str
) -> None:
    executors = [HeldExecutor(), HeldExecutor()]
    left, health = list(executors), Health()
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0))
    view = slots.view(MatchPurpose.LADDER, "spring")
    async with running(slots, health, lambda: left.pop(0), monkeypatch):
        if breaks == "executor":
            lost = [asyncio.ensure_future(view.run(order("m0")))]
            await settle()
            await executors[0].fail("m0", ExecutorFailedError("a worker ended 3 times"))
        else:
            lost = []
            for number in range(4):
                lost.append(asyncio.ensure_future(view.run(order(f"m{number}"))))
                await settle()
                await executors[0].fail(f"m{number}", MatchLostError("its worker ended"))
        assert len(await asyncio.gather(*lost, return_exceptions=True)) == len(lost)
        waiting = asyncio.ensure_future(view.run(order("after")))
        await until(lambda: "after" in executors[1].playing)
        assert list(health.problems()) == ["host"]
        await executors[1].finish("after")
        await waiting
        assert health.problems() == {}


async def test_a_host_that_fails_by_itself_is_replaced_before_anything_is_to_be_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Telling(HeldExecutor):
        async def __aenter__(self) -> Self:
            said.append(list(health.problems().values()))
            return self

        async def failed(self) -> Exception:
            return await why.pop(0)

    said: list[list[str]] = []
    health, slots = Health(), Slots(1, dict.fromkeys(MatchPurpose, 1.0))
    why: list[asyncio.Future[Exception]] = [asyncio.get_running_loop().create_future() for _ in range(2)]
    (first, _) = why
    async with running(slots, health, Telling, monkeypatch):
        first.set_result(ExecutorFailedError("the head is gone"))
        await until(lambda: len(said) == 2 and not health.problems())
    assert said[0] == []
    assert "the head is gone" in said[1][0]


async def test_a_match_that_was_lost_now_and_then_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, health = HeldExecutor(), Health()
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0))
    view = slots.view(MatchPurpose.LADDER, "spring")
    async with running(slots, health, lambda: executor, monkeypatch):
        for number in range(20):
            match = asyncio.ensure_future(view.run(order(f"m{number}")))
            await settle()
            if number % 3:
                await executor.fail(f"m{number}", MatchLostError("its worker ended"))
            else:
                await executor.finish(f"m{number}")
            await asyncio.wait([match])
            assert match.exception() is None or isinstance(match.exception(), MatchLostError)
        assert health.problems() == {}


@pytest.mark.host_fault("no-process-for-long")
async def test_a_host_without_room_pauses_after_two_losses_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play_and_lose(executor: HeldExecutor) -> None:
        await until(lambda: slots._executor is not None and not executor.order)
        lost = [asyncio.ensure_future(view.run(order(name))) for name in ("m0", "m1")]
        await until(lambda: len(executor.playing) == 2)
        for name in ("m0", "m1"):
            await executor.fail(name, full)
        await asyncio.gather(*lost, return_exceptions=True)

    executors = [HeldExecutor(3), HeldExecutor(3), HeldExecutor(3)]
    left, health = list(executors), Health()
    slots = Slots(3, dict.fromkeys(MatchPurpose, 1.0))
    view = slots.view(MatchPurpose.ADMISSION, "ann")
    full = MatchLostError("there was no room for a bot", HostCause.HOSTING_FAILED)
    async with running(slots, health, lambda: left.pop(0), monkeypatch):
        for executor in executors[:2]:
            await play_and_lose(executor)
            said = health.problems()["host"]
            assert "the host lost 2 matches in a row; last reason: there was no room for a bot" in said
            assert "nothing is played for" in said
        waiting = asyncio.ensure_future(view.run(order("after")))
        await until(lambda: "after" in executors[2].playing)
        await executors[2].finish("after")
        await waiting
        assert health.problems() == {}


async def test_a_match_that_the_host_lost_rests_longer_and_longer_while_others_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 1.0)
    monkeypatch.setattr(host, "time", SimpleNamespace(monotonic=lambda: now_s))
    now_s: float = 0.0
    watch, executor = HostWatch(2), HeldExecutor()
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0), watch=watch, clock=lambda: now_s)
    view = slots.view(MatchPurpose.ADMISSION, "ann")
    async with running(slots, Health(), lambda: executor, monkeypatch, watch):
        playing = asyncio.ensure_future(view.run(order("m0")))
        for rest_s in (1.0, 2.0, 4.0):
            await until(lambda: "m0" in executor.playing)
            await executor.fail("m0", MatchLostError("its worker ended"))
            await asyncio.gather(playing, return_exceptions=True)
            playing = asyncio.ensure_future(view.run(order("m0")))
            other = asyncio.ensure_future(view.run(order("m1")))
            await until(lambda: "m1" in executor.playing)
            await executor.finish("m1")
            await other
            now_s += rest_s - 0.001
            slots.dispatch()
            await settle()
            assert executor.playing == {}
            now_s += 0.002
            slots.dispatch()
        await until(lambda: "m0" in executor.playing)
        await executor.finish("m0")
        await playing


async def test_the_slots_come_back_by_themselves_when_a_match_has_rested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 0.02)
    watch, executor = HostWatch(2), HeldExecutor()
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0), watch=watch)
    view = slots.view(MatchPurpose.ADMISSION, "ann")
    async with running(slots, Health(), lambda: executor, monkeypatch, watch):
        lost = asyncio.ensure_future(view.run(order("m0")))
        await until(lambda: "m0" in executor.playing)
        await executor.fail("m0", MatchLostError("its worker ended"))
        await asyncio.gather(lost, return_exceptions=True)
        again = asyncio.ensure_future(view.run(order("m0")))
        await until(lambda: "m0" in executor.playing)
        await executor.finish("m0")
        await again


@pytest.mark.host_fault("workers-that-do-not-start")
async def test_a_host_that_cannot_even_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    health = Health()

    def make() -> HeldExecutor:
        tries.append(1)
        raise ExecutorFailedError("no room for a runtime directory")

    async with running(Slots(1, dict.fromkeys(MatchPurpose, 1.0)), health, make, monkeypatch):
        await until(lambda: len(tries) > 3)
        assert "no room" in health.problems()["host"]


class HeldPlayer(HeldExecutor):
    """Plays remote matches when a test says so."""

    def has(self, match_id: str) -> bool:
        return match_id in self.playing

    async def run_match(self, spec: MatchSpec) -> MatchReport:
        return await self.run(spec)

    def cancel(self, match_id: str) -> None:  # type: ignore[override]
        """Do nothing."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        del after, logs
        return one_event(f"remote {match_id}")


async def one_event(text: str) -> AsyncGenerator[LiveEvent, None]:
    yield LiveEndEvent(0, None, text)


def remote(match_id: str) -> MatchSpec:
    spec = order(match_id)
    return replace(spec, seats=tuple(replace(seat, is_remote=True) for seat in spec.seats))


async def test_each_match_is_played_and_watched_where_its_bots_are() -> None:
    here, there = HeldExecutor(1), HeldPlayer(1)
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0), needs_slot=lambda spec: not spec.has_remote)
    router = MatchRouter(slots, there)
    router.use(here)
    view = slots.view(MatchPurpose.LADDER, "spring")
    tasks = [asyncio.ensure_future(view.run(spec)) for spec in (order("m1"), remote("m2"), remote("m3"))]
    await settle()
    assert (sorted(here.playing), sorted(there.playing)) == (["m1"], ["m2", "m3"])
    watch = router.watch_with(lambda match_id, **_: one_event(f"here {match_id}"))
    assert [event async for event in watch("m1")] == [LiveEndEvent(0, None, "here m1")]
    assert [event async for event in watch("m2")] == [LiveEndEvent(0, None, "remote m2")]
    for task in tasks:
        task.cancel()


async def test_where_no_remote_bots_are_taken_every_match_is_played_and_watched_here() -> None:
    here = HeldExecutor(1)
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0))
    router = MatchRouter(slots, None)
    router.use(here)
    task = asyncio.ensure_future(slots.view(MatchPurpose.LADDER, "spring").run(order("m1")))
    await settle()
    assert list(here.playing) == ["m1"]
    watch = router.watch_with(lambda match_id, **_: one_event(f"here {match_id}"))
    assert [event async for event in watch("m1")] == [LiveEndEvent(0, None, "here m1")]
    task.cancel()
