"""Activities: what is wanted runs, what is not is ended, what crashes is told and tried again."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

from structlog.testing import capture_logs

from arena.rpc.backoff import Backoff
from arena.service import task_supervision as supervision
from arena.service.logs import get_logger
from arena.service.task_supervision import Health, SupervisedTasks, Supervisor, TaskSpec, WakeUp
from tests.service.scheduler.executors import settle


async def for_ever() -> None:
    await asyncio.Event().wait()


def supervisor(health: Health | None = None, told: list[tuple[str, str]] | None = None) -> Supervisor:
    known = [] if told is None else told
    return Supervisor(health or Health(), get_logger("test"), lambda part, why: known.append((part, why)))


class Worker:
    """Counts how often it was begun and how often it was ended from outside."""

    def __init__(self, work: Callable[[], Awaitable[None]] = for_ever) -> None:
        self.begun = self.ended = 0
        self._work = work

    async def __call__(self) -> None:
        self.begun += 1
        try:
            await self._work()
        except asyncio.CancelledError:
            self.ended += 1
            raise


async def test_what_is_wanted_runs_once_and_ends_when_it_is_not_wanted_any_more() -> None:
    one, two = Worker(), Worker()
    ended = SupervisedTasks(supervisor())
    for _ in range(3):
        await ended.reconcile({"one": TaskSpec("one", one), "two": TaskSpec("two", two)})
        await settle()
    await ended.reconcile({"two": TaskSpec("two", two)})
    assert (one.begun, one.ended, two.begun, two.ended) == (1, 1, 1, 0)
    await ended.close()
    assert two.ended == 1
    assert "one" not in ended


async def test_what_has_ended_rests_until_something_changes_or_time_has_passed() -> None:
    async def at_once() -> None:
        pass

    now = 0.0
    worker = Worker(at_once)
    ended = SupervisedTasks(supervisor(), clock=lambda: now)

    async def look(state: str) -> int:
        await ended.reconcile({"one": TaskSpec("one", worker, state)})
        await settle()
        return worker.begun

    assert [await look("two bots"), await look("two bots"), await look("three bots")] == [1, 1, 2]
    assert await look("three bots") == 2
    now += supervision.REST_S
    assert await look("three bots") == 3


async def test_what_crashes_is_told_and_tried_again_and_is_well_afterwards() -> None:
    health, told = Health(), list[tuple[str, str]]()
    problems: list[dict[str, str]] = []
    tries = 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        problems.append(health.problems())
        if tries < 4:
            raise RuntimeError(f"broken\n{tries}")

    await supervisor(health, told).keep_going("ladder spring", work, Backoff(first_s=0.0))
    assert told == [("ladder spring", "broken 1")]
    assert [one.get("ladder spring", "")[:8] for one in problems] == ["", "broken 1", "broken 2", "broken 3"]
    assert health.problems() == {}


async def test_the_same_trouble_is_logged_once_until_it_is_another_one_or_is_over() -> None:
    sentences = ["no disk", "no disk", "no room", "no room", "no disk", ""]
    supervised = supervisor()

    async def work() -> None:
        if sentence := sentences.pop(0):
            raise RuntimeError(sentence)

    with capture_logs() as lines:
        await supervised.keep_going("ladder spring", work, Backoff(first_s=0.0))
        sentences += ["no disk", ""]
        await supervised.keep_going("ladder spring", work, Backoff(first_s=0.0))
    assert [line["error"] for line in lines] == ["no disk", "no room", "no disk", "no disk"]


def test_pauses_grow_to_a_limit_and_begin_anew() -> None:
    backoff = Backoff(first_s=1, most_s=10)
    assert [backoff.next_s() for _ in range(6)] == [1, 2, 4, 8, 10, 10]
    backoff.reset()
    assert backoff.next_s() == 1


async def test_a_bell_wakes_whoever_waits_from_any_thread_and_loses_no_ring() -> None:
    wake_up = WakeUp()
    waiting = asyncio.create_task(wake_up.wait(0, 300))
    await settle()
    threading.Thread(target=wake_up.notify).start()
    assert await waiting == 1
    wake_up.notify()
    await settle()
    assert await wake_up.wait(1, 300) == 2
    assert await wake_up.wait(2, 0.001) == 2
