"""Fair queueing and the slots: who begins when, what holds matches back, and that nobody starves."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.executor.interface import NotBegunError
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.service.scheduler.queue import Charge, FairQueue, MatchPurpose, QueuedMatch
from arena.service.scheduler.slots import Slots, SlotsView
from arena.tournament.rate_limit import MatchRateLimit
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import PATIENCE_S

KEYS = ("ladder", "tournament", "comparison", "admission")
WEIGHTS = st.fixed_dictionaries({key: st.floats(0.2, 8) for key in KEYS})
COSTS = st.fixed_dictionaries({key: st.lists(st.floats(0.3, 5), min_size=1, max_size=4) for key in KEYS})
SLOTS = st.integers(1, 3)
EXAMPLES = settings(max_examples=20)


@dataclass
class Simulation:
    """Slots that are never left empty, and what each key used of them."""

    queue: FairQueue[str]
    costs: Mapping[str, list[float]]
    slots: int = 1
    used: Counter[str] = field(default_factory=Counter)
    order: list[str] = field(default_factory=list)
    now: float = 0.0

    def __post_init__(self) -> None:
        self._numbers = count()
        self._turns: Counter[str] = Counter()
        self._running: list[tuple[float, int, Charge[str], float]] = []

    def run(self, until: float, waiting: Callable[[float], Collection[str]]) -> None:
        """Serve whoever waits, which may depend on the time, until so much of the slots was used."""
        while self.now < until:
            while len(self._running) < self.slots:
                key = self.queue.choose(waiting(self.now))
                cost = self.costs[key][self._turns[key] % len(self.costs[key])]
                self._turns[key] += 1
                self.order.append(key)
                heapq.heappush(self._running, (self.now + cost, next(self._numbers), self.queue.begin(key), cost))
            self.now, _, charge, cost = heapq.heappop(self._running)
            self.queue.end(charge, cost)
            self.used[charge.key] += cost  # type: ignore[assignment]


def queue(weights: Mapping[str, float], head_start: float = 0.0) -> FairQueue[str]:
    made: FairQueue[str] = FairQueue()
    for key, weight in weights.items():
        made.add(key, weight, head_start if key == "admission" else 0.0)
    return made


def slack(weights: Mapping[str, float], costs: Mapping[str, list[float]], slots: int) -> float:
    """By how much two keys may differ for each unit of weight: what begins or is estimated wrongly at once."""
    return sum((slots + 1) * 2 * max(1.0, *costs[key]) / weights[key] for key in weights)


@EXAMPLES
@given(WEIGHTS, COSTS, SLOTS)
def test_those_who_always_wait_are_served_by_their_weights(
    weights: dict[str, float], costs: dict[str, list[float]], slots: int
) -> None:
    simulation = Simulation(queue(weights), costs, slots)
    simulation.run(150, lambda _: KEYS)
    served = [simulation.used[key] / weights[key] for key in KEYS]
    assert max(served) - min(served) <= slack(weights, costs, slots)


@EXAMPLES
@given(WEIGHTS, COSTS, SLOTS)
def test_nobody_starves_also_when_admissions_never_end(
    weights: dict[str, float], costs: dict[str, list[float]], slots: int
) -> None:
    head_start = 30.0
    simulation = Simulation(queue(weights, head_start), costs, slots)
    simulation.run(200, lambda _: KEYS)
    least = min(simulation.used[key] / weights[key] for key in KEYS)
    ahead = simulation.used["admission"] / weights["admission"] - least
    assert ahead <= head_start / weights["admission"] + slack(weights, costs, slots)
    assert set(simulation.order) == set(KEYS)


@EXAMPLES
@given(WEIGHTS, COSTS, SLOTS, st.floats(50, 100))
def test_who_was_idle_saved_nothing_up(
    weights: dict[str, float], costs: dict[str, list[float]], slots: int, idle_s: float
) -> None:
    simulation = Simulation(queue(weights), costs, slots)
    others = [key for key in KEYS if key != "ladder"]
    simulation.run(idle_s, lambda _: others)
    before = Counter(simulation.used)
    simulation.run(idle_s + 100, lambda _: KEYS)
    served = {key: (simulation.used[key] - before[key]) / weights[key] for key in KEYS}
    assert served["ladder"] - min(served.values()) <= slack(weights, costs, slots)


@EXAMPLES
@given(WEIGHTS, COSTS)
def test_an_admission_comes_first_while_it_is_within_its_head_start(
    weights: dict[str, float], costs: dict[str, list[float]]
) -> None:
    simulation = Simulation(queue(weights, head_start=1000.0), costs)
    others = [key for key in KEYS if key != "admission"]
    simulation.run(100, lambda _: others)
    simulation.order.clear()
    simulation.run(simulation.now + 50, lambda _: KEYS)
    assert set(simulation.order) == {"admission"}


@EXAMPLES
@given(WEIGHTS, COSTS)
def test_a_head_start_is_not_granted_again_to_who_rests_for_a_moment(
    weights: dict[str, float], costs: dict[str, list[float]]
) -> None:
    head_start = 20.0
    simulation = Simulation(queue(weights, head_start), costs)
    others = [key for key in KEYS if key != "admission"]
    simulation.run(250, lambda now: KEYS if int(now / 5) % 2 else others)
    least = min(simulation.used[key] / weights[key] for key in others)
    ahead = simulation.used["admission"] / weights["admission"] - least
    assert ahead <= head_start / weights["admission"] + slack(weights, costs, 1)


def test_what_was_estimated_wrongly_is_put_right() -> None:
    made = queue({"ladder": 1.0, "tournament": 1.0})
    simulation = Simulation(made, {"ladder": [0.1], "tournament": [2.0]})
    simulation.run(100, lambda _: ("ladder", "tournament"))
    assert abs(simulation.used["ladder"] - simulation.used["tournament"]) <= 3
    assert made.mean_cost("ladder") == 0.1
    assert made.mean_cost("tournament") == 2.0


def test_what_is_not_typical_is_paid_but_not_expected_again() -> None:
    made = queue({"ladder": 1.0})
    made.end(made.begin("ladder"), 1.0)
    made.end(made.begin("ladder"), 500.0, is_typical=False)
    assert made.mean_cost("ladder") == 1.0


def test_a_key_that_was_removed_is_not_missed() -> None:
    made = queue({"ladder": 1.0})
    charge = made.begin("ladder")
    made.remove("ladder")
    made.end(charge, 3.0)
    assert made.choose(["ladder"]) == "ladder"


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
