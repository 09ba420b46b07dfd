"""The host under the slots: it is replaced when it fails, and says so while nothing can be played."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from arena.executor.interface import ExecutorFailedError
from arena.match.host_faults import MatchLostError
from arena.service.health import Health
from arena.service.logs import get_logger
from arena.service.scheduler import host
from arena.service.scheduler.host import Host
from arena.service.scheduler.jobs import Kind
from arena.service.scheduler.slots import Slots
from arena.service.supervision import Backoff
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import until


@asynccontextmanager
async def running(
    slots: Slots, health: Health, make: Callable[[], HeldExecutor], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Host]:
    monkeypatch.setattr(host, "Backoff", lambda **_: Backoff(first_s=0.001))
    made = Host(slots, make, health, get_logger("test"))
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
    slots = Slots(1, dict.fromkeys(Kind, 1.0))
    view = slots.view(Kind.LADDER, "spring")
    async with running(slots, health, lambda: left.pop(0), monkeypatch):
        if breaks == "executor":
            lost = [asyncio.ensure_future(view.run(order("m0")))]
            await settle()
            await executors[0].fail("m0", ExecutorFailedError("a worker ended 3 times"))
        else:
            lost = []
            for number in range(host.LOST_IN_A_ROW_PER_SLOT):
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


async def test_a_match_that_was_lost_now_and_then_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, health = HeldExecutor(), Health()
    slots = Slots(1, dict.fromkeys(Kind, 1.0))
    view = slots.view(Kind.LADDER, "spring")
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


@pytest.mark.host_fault("workers-that-do-not-start")
async def test_a_host_that_cannot_even_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    health = Health()

    def make() -> HeldExecutor:
        tries.append(1)
        raise ExecutorFailedError("no room for a runtime directory")

    async with running(Slots(1, dict.fromkeys(Kind, 1.0)), health, make, monkeypatch):
        await until(lambda: len(tries) > 3)
        assert "no room" in health.problems()["host"]
