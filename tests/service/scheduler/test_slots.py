"""The slots: who begins when, what a limit or a pace holds back, and what becomes of what is cancelled."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from arena.executor.interface import NotBegunError
from arena.match.report import MatchReport
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.service.scheduler.queue import MatchPurpose, QueuedMatch
from arena.service.scheduler.slots import Slots, SlotsView
from arena.tournament.rate_limit import MatchRateLimit
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import PATIENCE_S

EQUAL = dict.fromkeys(MatchPurpose, 1.0)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def slots_of(executor: HeldExecutor, clock: Clock, **more: Any) -> Slots:
    slots = Slots(executor.slots(), EQUAL, clock=clock, **more)
    slots.use(executor)
    return slots


def begin(view: SlotsView, *specs: MatchSpec) -> list[asyncio.Task[MatchReport]]:
    return [asyncio.ensure_future(view.run(spec)) for spec in specs]


async def test_all_activities_share_the_slots_and_get_their_reports(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    tasks = [
        *begin(slots.view(MatchPurpose.LADDER, "spring"), order("l1"), order("l2"), order("l3")),
        *begin(slots.view(MatchPurpose.TOURNAMENT, "class"), order("t1"), order("t2"), order("t3")),
    ]
    await settle()
    while not all(task.done() for task in tasks):
        (playing,) = executor.playing
        clock.now += 2.0
        await executor.finish(playing)
    assert executor.order == ["l1", "t1", "l2", "t2", "l3", "t3"]
    assert [task.result().match_id for task in tasks] == ["l1", "l2", "l3", "t1", "t2", "t3"]
    assert slots.count_running() == slots.count_waiting() == dict.fromkeys(MatchPurpose, 0)


async def test_an_admission_does_not_wait_behind_a_ladder(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    tasks = begin(slots.view(MatchPurpose.LADDER, "spring"), *(order(f"l{number}") for number in range(5)))
    await settle()
    tasks += begin(slots.view(MatchPurpose.ADMISSION, "fox"), order("a1"))
    await settle()
    clock.now += 5
    await executor.finish("l0")
    assert list(executor.playing) == ["a1"]
    for task in tasks:
        task.cancel()
    await settle()
    assert not executor.playing


async def test_two_tournaments_have_the_share_of_tournaments_in_halves(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    for name in "ab":
        begin(slots.view(MatchPurpose.TOURNAMENT, name), *(order(f"{name}{number}") for number in range(20)))
    begin(slots.view(MatchPurpose.LADDER, "c"), *(order(f"c{number}") for number in range(40)))
    await settle()
    for _ in range(40):
        clock.now += 2.0
        await executor.finish(next(iter(executor.playing)))
    begun = [name[0] for name in executor.order[:40]]
    assert abs(begun.count("c") - 20) <= 1
    assert abs(begun.count("a") - begun.count("b")) <= 1


async def test_short_matches_wait_in_the_workers_and_long_ones_do_not(clock: Clock) -> None:
    executor = HeldExecutor(2)
    slots = slots_of(executor, clock)
    begin(slots.view(MatchPurpose.LADDER, "spring"), *(order(f"m{number}") for number in range(30)))
    await settle()
    most = []
    for seconds in (0.1, 30.0):
        for _ in range(10):
            clock.now += seconds
            await executor.finish(next(iter(executor.playing)))
            most.append(len(executor.playing))
    assert most[9] == 4
    assert most[19] == 2


async def test_an_owner_at_the_limit_lets_others_pass(clock: Clock) -> None:
    executor = HeldExecutor(4)
    limits: Callable[[str], int] = {"ada": 1, "bob": 0}.__getitem__
    slots = slots_of(executor, clock, owner_limit=limits)
    view = slots.view(MatchPurpose.LADDER, "spring")
    begin(view, order("m1", "ada/fox", "house"), order("m2", "ada/owl", "bob/cat"), order("m3", "bob/cat", "house"))
    await settle()
    assert executor.order == ["m1", "m3"]
    await executor.finish("m1")
    assert executor.order == ["m1", "m3", "m2"]


async def test_a_match_that_needs_no_slot_begins_at_once(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock, needs_slot=lambda spec: not spec.match_id.startswith("remote"))
    view = slots.view(MatchPurpose.TOURNAMENT, "class")
    begin(view, order("m1"), order("m2"), order("remote1"), order("remote2"))
    await settle()
    assert sorted(executor.playing) == ["m1", "remote1", "remote2"]
    assert slots.count_running()[MatchPurpose.TOURNAMENT] == 1


async def test_matches_that_need_no_slot_keep_to_the_pace_and_hold_up_no_owner(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock, owner_limit=lambda _: 1, needs_slot=lambda spec: spec.match_id.startswith("h"))
    begin(
        slots.view(MatchPurpose.LADDER, "slow", pace=MatchRateLimit(24, clock.now)),
        order("r1", "ada/x"),
        order("r2", "ada/x"),
    )
    begin(
        slots.view(MatchPurpose.TOURNAMENT, "class"), order("h1", "ada/y"), order("r3", "ada/x"), order("r4", "ada/x")
    )
    await settle()
    assert sorted(executor.playing) == ["h1", "r1", "r3", "r4"]


class NeverBegins(HeldExecutor):
    """Begins nothing."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        await super().run(spec)
        raise NotBegunError


async def test_what_did_not_begin_waits_as_if_it_had_never_been_its_turn(clock: Clock) -> None:
    executor = NeverBegins(1)
    slots = slots_of(executor, clock)
    (match,) = begin(slots.view(MatchPurpose.LADDER, "spring"), order("m1"))
    await settle()
    slots.drain()
    await executor.finish("m1")
    await slots.wait_until_idle()
    assert not match.done()
    assert slots.count_waiting()[MatchPurpose.LADDER] == 1
    match.cancel()


async def test_a_pace_holds_a_ladder_back_while_others_go_on(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    begin(slots.view(MatchPurpose.LADDER, "slow", pace=MatchRateLimit(24, clock.now)), order("l1"), order("l2"))
    begin(slots.view(MatchPurpose.TOURNAMENT, "class"), order("t1"), order("t2"))
    await settle()
    while executor.playing:
        clock.now += 2.0
        await executor.finish(next(iter(executor.playing)))
    assert sorted(executor.order) == ["l1", "t1", "t2"]
    clock.now += 3600
    slots.dispatch()
    await settle()
    assert executor.order[-1] == "l2"


async def test_without_an_executor_everything_waits_and_a_new_one_goes_on(clock: Clock) -> None:
    first, second = HeldExecutor(1), HeldExecutor(1)
    slots = slots_of(first, clock)
    view = slots.view(MatchPurpose.LADDER, "spring")
    lost, waiting = begin(view, order("m1"), order("m2"))
    await settle()
    slots.use(None)
    await first.fail("m1", MatchLostError("its worker ended"))
    with pytest.raises(MatchLostError, match="worker ended"):
        await lost
    assert not first.playing
    slots.use(second)
    await settle()
    await second.finish("m2")
    assert (await waiting).match_id == "m2"


async def test_what_is_cancelled_while_it_waits_is_lost_and_what_runs_is_cancelled_where_it_runs(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    view = slots.view(MatchPurpose.LADDER, "spring")
    running, waiting = begin(view, order("m1"), order("m2"))
    await settle()
    for match_id in ("m1", "m2", "unknown"):
        await view.cancel(match_id)
    with pytest.raises(MatchLostError) as caught:
        await waiting
    assert caught.value.cause is HostCause.CANCELLED
    assert executor.cancelled == ["m1"]
    running.cancel()
    await settle()
    assert not executor.playing


async def test_a_closed_view_leaves_nothing_behind(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    view = slots.view(MatchPurpose.LADDER, "spring")
    tasks = begin(view, order("m1"), order("m2"))
    await settle()
    view.close()
    await settle()
    assert all(task.cancelled() for task in tasks)
    assert not executor.playing
    assert slots.count_waiting()[MatchPurpose.LADDER] == 0
    await asyncio.wait_for(slots.wait_until_idle(), PATIENCE_S)


async def test_while_it_drains_nothing_begins_and_what_runs_may_end(clock: Clock) -> None:
    executor = HeldExecutor(1)
    slots = slots_of(executor, clock)
    running, _ = begin(slots.view(MatchPurpose.LADDER, "spring"), order("m1"), order("m2"))
    await settle()
    slots.drain()
    idle = asyncio.ensure_future(slots.wait_until_idle())
    await settle()
    assert not idle.done()
    await executor.finish("m1")
    await idle
    assert (await running).match_id == "m1"
    assert not executor.playing


async def test_an_observer_sees_every_end(clock: Clock) -> None:
    seen: list[tuple[str, bool, float]] = []

    class Observer:
        def ended(self, job: QueuedMatch, outcome: MatchReport | Exception, seconds: float) -> None:
            seen.append((job.spec.match_id, isinstance(outcome, MatchReport), seconds))

    executor = HeldExecutor(2)
    slots = slots_of(executor, clock, observer=Observer())
    tasks = begin(slots.view(MatchPurpose.LADDER, "spring"), order("m1"), order("m2"))
    await settle()
    clock.now = 3.0
    await executor.finish("m1")
    await executor.fail("m2", MatchLostError("its worker ended"))
    await asyncio.wait(tasks)
    assert [task.exception() is None for task in tasks] == [True, False]
    assert seen == [("m1", True, 3.0), ("m2", False, 3.0)]


async def test_a_match_is_played_once_at_a_time(clock: Clock) -> None:
    slots = slots_of(HeldExecutor(1), clock)
    view = slots.view(MatchPurpose.LADDER, "spring")
    begin(view, order("m1"))
    await settle()
    with pytest.raises(ValueError, match="being played already"):
        await view.run(order("m1"))
