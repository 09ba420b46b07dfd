"""What decisions are measured to take, who computes while others decide, and who was loud meanwhile."""

from __future__ import annotations

from typing import Any, cast

import pytest

from arena.match.time_control import Figures
from arena.referee.measuring import LOOK_EVERY_S, PONDER_WINDOW_S, Pondering, PonderWatch, Stopwatch, loudest


class Loop:
    """Stands for the event loop: its time."""

    def __init__(self) -> None:
        self.now = 50.0

    def time(self) -> float:
        return self.now


class Meter:
    """A bot that computes and waits so much."""

    def __init__(self, reading: tuple[int, int] | None = (5000, 7000), *, has_run: bool = False) -> None:
        self.reading = reading
        self.runs = has_run
        self.asleep_us = 0
        self.looks = 0

    def begin(self) -> None:
        self.looks = 0

    def look(self) -> tuple[int, int] | None:
        self.looks += 1
        return self.reading

    def has_run(self) -> bool:
        return self.runs

    def lowered_to(self) -> int:
        return 0

    def total_us(self) -> int:
        return 0


class Queue:
    """The referee's own waiting."""

    def __init__(self, over_us: int = 0, lasting_us: int = 0, idle_us: int = 10_000) -> None:
        self.waits = over_us, lasting_us
        self.idle_us = idle_us
        self.waited_us = 0
        self.is_clear = False
        self.watched: list[int] = []
        self.came_s: list[float] = []

    def begin(self) -> None:
        pass

    def look(self) -> tuple[int, int]:
        return self.waits

    def watch(self, descriptor: int) -> None:
        self.watched.append(descriptor)

    def first_came_s(self, since_s: float, until_s: float) -> float | None:
        return min((came_s for came_s in self.came_s if since_s <= came_s <= until_s), default=None)


def start(
    meter: Meter | None, queue: Queue | None = None, patience_s: float = 1.0, at: float = 50.0
) -> tuple[Loop, Stopwatch]:
    loop = Loop()
    loop.now = at
    return loop, Stopwatch(cast("Any", loop), patience_s, meter, queue, lambda: 7)


def test_a_short_decision_is_not_looked_at() -> None:
    meter = Meter()
    _, watch = start(meter)
    assert watch.stop(50.019) == Figures(19_000)
    assert meter.looks == 0


def test_a_decision_that_is_short_and_late_is_looked_at() -> None:
    _, watch = start(Meter(), patience_s=0.01)
    assert watch.stop(50.015).looks == 1


def test_a_longer_decision_has_all_its_figures() -> None:
    meter = Meter((5000, 7000))
    loop, watch = start(meter, Queue(over_us=3000))
    assert watch.next_at == pytest.approx(50 + LOOK_EVERY_S)
    loop.now = 50.02
    assert watch.look() == Figures(20_000, 5000, 7000, 3000, looks=1)
    meter.reading = (9000, 8000)
    assert watch.stop(50.035) == Figures(35_000, 9000, 8000, 3000, looks=2)


def test_a_look_that_comes_late_may_hide_an_answer() -> None:
    loop, watch = start(Meter())
    loop.now = 50.06
    assert watch.look().referee_lag_us == 40_000
    assert watch.next_at == pytest.approx(50.08)


@pytest.mark.parametrize(("idle_us", "lag_us"), [(2999, 41_000), (3000, 0)])
def test_an_answer_may_have_lain_there_at_a_look_if_the_referee_was_busy_all_the_time_since(
    idle_us: int, lag_us: int
) -> None:
    queue = Queue()
    loop, watch = start(Meter((1000, 0)), queue)
    loop.now = 50.06
    assert watch.look().referee_lag_us == 40_000
    queue.idle_us = idle_us
    assert watch.stop(50.061).referee_lag_us == lag_us


@pytest.mark.hostile("sleep-beside-busy-programs")
def test_a_bot_that_sleeps_is_not_given_back_the_late_looks_at_which_it_had_not_answered() -> None:
    loop, watch = start(Meter((1000, 0)))
    for _ in range(9):
        loop.now = watch.next_at + 0.005
        watch.look()
    assert watch.stop(loop.now + 0.01).referee_lag_us == 0


@pytest.mark.host_fault("referee-without-a-processor")
@pytest.mark.parametrize(("cpu_us", "lag_us"), [(0, 533_000), (199, 533_000), (200, 23_000)])
def test_a_bot_cannot_have_read_its_question_while_the_referee_stood_still(cpu_us: int, lag_us: int) -> None:
    meter = Meter((cpu_us, 0))
    loop, watch = start(meter)
    loop.now = 50.53
    watch.look()
    meter.reading = (2000, 25_000)
    assert watch.stop(50.573).referee_lag_us == lag_us


@pytest.mark.parametrize(("came_s", "lag_us"), [([], 50_000), ([50.08], 20_000), ([50.01], 50_000)])
def test_when_an_answer_came_is_found_out_if_it_is_too_late(came_s: list[float], lag_us: int) -> None:
    queue = Queue()
    queue.came_s = came_s
    loop, watch = start(Meter((1000, 0)), queue, patience_s=0.05)
    loop.now = 50.02
    watch.look()
    loop.now = 50.03
    watch.look()
    assert watch.stop(50.1).referee_lag_us == lag_us
    assert queue.watched == [7, 7]


@pytest.mark.host_fault("referee-without-a-processor")
@pytest.mark.parametrize(
    ("waited_us", "lag_us", "slept_us"), [(150_000, 290_000, 0), (100_000, 200_000, 15_000), (40_000, 0, 215_000)]
)
def test_an_answer_lay_there_since_it_came_if_threads_of_the_referee_waited_and_the_bot_slept_only_behind_it(
    waited_us: int, lag_us: int, slept_us: int
) -> None:
    meter, queue = Meter((1000, 0)), Queue(idle_us=100_000)
    loop, watch = start(meter, queue, patience_s=0.05)
    loop.now, queue.is_clear = 50.02, True
    watch.look()
    queue.came_s, queue.is_clear, queue.waited_us = [50.03], False, waited_us
    loop.now = watch.next_at = 50.16  # the threads that handle the answer get no processor, one after the other
    watch.look()
    watch.next_at, meter.asleep_us = 50.32, 215_000
    assert (watch.stop(50.32).referee_lag_us, watch.slept_us()) == (lag_us, slept_us)


@pytest.mark.host_fault("referee-without-a-processor")
@pytest.mark.parametrize(("asleep_us", "slept_us"), [(110_000, 10_000), (133_000, 33_000), (134_000, 134_000)])
def test_who_slept_for_a_third_of_its_time_before_bytes_came_did_not_answer_with_them(
    asleep_us: int, slept_us: int
) -> None:
    meter, queue = Meter((1000, 0)), Queue(idle_us=100_000)
    loop, watch = start(meter, queue, patience_s=0.1)
    for now, is_clear in ((50.02, True), (50.04, False)):
        loop.now, queue.is_clear = now, is_clear
        watch.look()
    queue.came_s, queue.waited_us = [50.06], 200_000
    watch.next_at, meter.asleep_us = 50.16, asleep_us
    watch.stop(50.16)
    assert watch.slept_us() == slept_us


@pytest.mark.host_fault("referee-without-a-processor")
def test_an_answer_may_have_lain_there_from_the_start_where_not_all_was_read_at_any_look() -> None:
    meter, queue = Meter((1000, 0)), Queue(idle_us=100_000)
    loop, watch = start(meter, queue)
    queue.came_s, queue.waited_us = [50.15], 70_000
    loop.now = watch.next_at = 50.1
    watch.look()
    watch.next_at, meter.asleep_us = 50.16, 140_000
    assert (watch.stop(50.16).referee_lag_us, watch.slept_us()) == (130_000, 10_000)


@pytest.mark.host_fault("referee-without-a-processor")
def test_sleep_behind_the_instant_of_a_late_look_does_not_count() -> None:
    meter = Meter((1000, 0))
    loop, watch = start(meter)
    meter.asleep_us = 100_000
    loop.now = 50.1  # when the look has been taken
    watch.stop(50.04)
    assert watch.slept_us() == 20_000


@pytest.mark.hostile("sleep-beside-busy-programs")
def test_what_came_before_all_was_read_was_no_answer() -> None:
    meter, queue = Meter((1000, 0)), Queue(idle_us=100_000)
    queue.is_clear, queue.waited_us, queue.came_s = True, 100_000, [50.03, 50.135]
    loop, watch = start(meter, queue, patience_s=0.05)
    for now in (50.02, 50.06, 50.1, 50.14):
        loop.now = watch.next_at = now
        watch.look()
    watch.next_at, meter.asleep_us = 50.15, 140_000
    assert (watch.stop(50.15).referee_lag_us, watch.slept_us()) == (0, 140_000)


@pytest.mark.host_fault("referee-without-a-processor")
def test_all_that_was_read_at_a_look_may_still_be_on_its_way_to_the_loop() -> None:
    meter, queue = Meter((1000, 0)), Queue(idle_us=100_000)
    queue.is_clear, queue.waited_us, queue.came_s = True, 100_000, [50.03]
    loop, watch = start(meter, queue, patience_s=0.05)
    for now in (50.02, 50.12):
        loop.now = watch.next_at = now
        watch.look()
    meter.asleep_us = 100_000
    assert watch.stop(50.121).referee_lag_us == 91_000


@pytest.mark.host_fault("referee-without-a-processor")
@pytest.mark.parametrize(("waited_us", "slept_us"), [(0, 130_000), (60_000, 70_000), (90_000, 60_000)])
def test_a_bot_whose_question_may_have_been_late_did_not_certainly_sleep(waited_us: int, slept_us: int) -> None:
    meter, queue = Meter((1000, 0)), Queue()
    loop, watch = start(meter, queue)
    for now, asleep_us in ((50.1, 70_000), (50.12, 90_000), (50.16, 130_000)):
        loop.now = watch.next_at = now
        meter.asleep_us, queue.waited_us, queue.is_clear = asleep_us, waited_us, True
        watch.look()
    assert watch.slept_us() == slept_us


@pytest.mark.host_fault("referee-without-a-processor")
def test_who_waits_behind_its_answer_does_not_sleep_over_its_decision() -> None:
    meter = Meter((1000, 0))
    loop, watch = start(meter, Queue(), patience_s=0.05)
    loop.now = 50.02
    watch.look()
    meter.asleep_us = 50_000
    watch.stop(50.07)  # read 30 ms late
    assert watch.slept_us() == 20_000


def test_a_thread_of_the_referee_that_waits_may_hide_an_answer() -> None:
    loop, watch = start(Meter(), Queue(lasting_us=9000))
    loop.now = 50.02
    assert watch.look().referee_lag_us == 9000


def test_an_answer_that_is_read_after_a_look_was_due_was_read_late() -> None:
    _, watch = start(Meter())
    assert watch.stop(50.050).referee_lag_us == 30_000


@pytest.mark.parametrize(("has_run", "lag_us"), [(False, 12_000), (True, 0)])
def test_a_slow_handing_over_is_the_referees_time_until_the_bot_has_run(has_run: bool, lag_us: int) -> None:
    loop, watch = start(Meter(has_run=has_run))
    loop.now = 50.012
    watch.mark_handed()
    loop.now = 50.02
    assert watch.look().referee_lag_us == lag_us


def test_the_lag_is_never_more_than_the_wall() -> None:
    _, watch = start(Meter(), Queue(over_us=10_000_000))
    assert watch.stop(50.025).referee_lag_us <= 25_000


@pytest.mark.parametrize("meter", [None, Meter(None)], ids=["no meter", "an unreadable one"])
def test_without_figures_the_decision_says_so(meter: Meter | None) -> None:
    _, watch = start(meter)
    assert watch.stop(50.3) == Figures(300_000, is_readable=False)


def test_without_a_meter_the_first_look_is_at_the_end() -> None:
    loop, watch = start(None)
    assert watch.next_at == pytest.approx(51)
    loop.now = 51.0
    assert watch.look().wall_us == 1_000_000


@pytest.mark.parametrize(("took_s", "looks"), [(0.019999, 0), (0.02, 1)])
def test_a_decision_is_looked_at_from_20_ms_on(took_s: float, looks: int) -> None:
    _, watch = start(Meter(), at=0.0)
    assert watch.stop(took_s).looks == looks


@pytest.mark.parametrize(("took_s", "looks"), [(0.01, 0), (0.010001, 1)])
def test_a_short_decision_is_looked_at_once_it_is_late(took_s: float, looks: int) -> None:
    _, watch = start(Meter(), patience_s=0.01, at=0.0)
    assert watch.stop(took_s).looks == looks


@pytest.mark.parametrize(("handed_at", "lag_us"), [(0.001, 0), (0.001001, 1001)])
def test_handing_over_is_slow_when_it_takes_more_than_a_millisecond(handed_at: float, lag_us: int) -> None:
    loop, watch = start(Meter(), at=0.0)
    loop.now = handed_at
    watch.mark_handed()
    loop.now = 0.02
    assert watch.look().referee_lag_us == lag_us


def test_lateness_is_at_most_the_time_since_the_last_look() -> None:
    loop, watch = start(Meter((5000, 0)), Queue(over_us=90_000))
    loop.now = 50.02
    assert watch.look().referee_lag_us == 20_000
    loop.now = 50.03
    assert watch.look().referee_lag_us == 10_000


@pytest.mark.parametrize(("now", "next_at"), [(0.02, 0.04), (0.03, 0.05), (0.049, 0.05), (0.05, 0.07), (0.06, 0.08)])
def test_a_look_is_due_every_20_ms_and_when_the_time_is_over(now: float, next_at: float) -> None:
    loop, watch = start(Meter(), patience_s=0.05, at=0.0)
    loop.now = now
    watch.look()
    assert watch.next_at == pytest.approx(next_at)


@pytest.mark.parametrize(("now", "next_at"), [(0.02, 1.0), (0.99, 1.0), (1.0, 1.02), (1.5, 1.52)])
def test_without_a_meter_looks_are_due_from_the_end_on(now: float, next_at: float) -> None:
    loop, watch = start(None, at=0.0)
    loop.now = now
    watch.look()
    assert watch.next_at == pytest.approx(next_at)
    assert watch.elapsed_us() == round(now * 1_000_000)


def test_an_impatient_match_looks_before_20_ms_are_over() -> None:
    _, watch = start(Meter(), patience_s=0.005, at=0.0)
    assert watch.next_at == 0.005


class Burner:
    """A meter of a bot whose CPU the test sets."""

    def __init__(self) -> None:
        self.cpu_us = self.asleep_us = 0

    def begin(self) -> None: ...

    def look(self) -> tuple[int, int] | None:
        return None

    def has_run(self) -> bool:
        return True

    def lowered_to(self) -> int:
        return 0

    def total_us(self) -> int:
        return self.cpu_us


def watch(share: float, seconds: float, decision_s: float = 60.0) -> Pondering | None:
    """The first finding about seat 1, which uses so much of a core, in decisions of seat 0 of that length."""
    burner = Burner()
    watch = PonderWatch([None, burner])
    now, began = 0.0, -1e9
    while now < seconds:
        if now - began >= decision_s:
            watch.begin()
            began = now
        found = watch.look(now, [1])
        if found is not None:
            return found
        now += 0.02
        burner.cpu_us += round(share * 20_000)
    return None


@pytest.mark.hostile("compute-in-others-time")
@pytest.mark.parametrize("share", [0.25, 1.0, 2.0])
def test_a_bot_that_keeps_computing_is_found(share: float) -> None:
    found = watch(share, 3 * PONDER_WINDOW_S)
    assert found is not None
    assert found.seat == 1
    assert found.share == pytest.approx(share, rel=0.01)
    assert "of a core" in found.explain()


@pytest.mark.hostile("compute-in-short-gaps")
def test_it_is_found_over_many_short_decisions_too() -> None:
    assert watch(1.0, 30 * PONDER_WINDOW_S, decision_s=0.06) is not None


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_a_little_is_overlooked(share: float) -> None:
    assert watch(share, 10 * PONDER_WINDOW_S) is None


def test_a_burst_is_overlooked() -> None:
    assert watch(1.0, 0.9 * PONDER_WINDOW_S) is None


def test_what_happens_between_decisions_is_not_counted() -> None:
    burner = Burner()
    watch = PonderWatch([burner])
    for decision in range(1000):
        watch.begin()
        assert watch.look(decision * 10.0, [0]) is None
        assert watch.look(decision * 10.0 + 0.02, [0]) is None
        burner.cpu_us += 5_000_000  # its own decision, in between


def test_a_seat_without_a_meter_is_trusted() -> None:
    watch = PonderWatch([None])
    watch.begin()
    assert watch.look(100.0, [0]) is None


def judge(cpu_us: int, wall_s: float) -> Pondering | None:
    """What is found after one look over so much CPU and time."""
    burner = Burner()
    watch = PonderWatch([burner])
    watch.begin()
    assert watch.look(0.0, [0]) is None
    burner.cpu_us = cpu_us
    return watch.look(wall_s, [0])


def test_a_fifth_of_a_core_is_overlooked_and_more_is_not() -> None:
    assert judge(1_000_000, 5.0) is None
    assert judge(1_000_010, 5.0) == Pondering(0, 0.200002, 5.0)


def test_five_seconds_are_judged_and_fewer_are_not() -> None:
    assert judge(5_000_000, 4.999) is None
    assert judge(5_000_000, 5.0) == Pondering(0, 1.0, 5.0)


def test_what_was_judged_does_not_count_again() -> None:
    burner = Burner()
    watch = PonderWatch([burner])
    watch.begin()
    watch.look(0.0, [0])
    burner.cpu_us = 1_000_000
    assert watch.look(5.0, [0]) is None
    burner.cpu_us = 3_000_000
    assert watch.look(9.999, [0]) is None
    assert watch.look(10.0, [0]) == Pondering(0, 0.4, 5.0)


def test_a_meter_that_lost_some_of_its_count_gives_nothing_back() -> None:
    burner = Burner()
    watch = PonderWatch([burner])
    watch.begin()
    for now, cpu_us in ((0.0, 4_000_000), (1.0, 0), (5.0, 1_000_010)):
        burner.cpu_us = cpu_us
        found = watch.look(now, [0])
    assert found == Pondering(0, 0.200002, 5.0)


def test_who_is_found_stays_found_beside_others() -> None:
    burner, idle = Burner(), Burner()
    watch = PonderWatch([idle, burner, idle])
    watch.begin()
    watch.look(0.0, [0, 1, 2])
    burner.cpu_us = 5_000_000
    assert watch.look(5.0, [0, 1, 2]) == Pondering(1, 1.0, 5.0)


@pytest.mark.parametrize(
    ("computed_us", "found"),
    [
        ({}, None),
        ({1: 200_000, 2: 0}, None),
        ({1: 200_001, 2: 0}, (1, 0.200001)),
        ({0: 300_000, 3: 400_000}, (3, 0.4)),
    ],
)
def test_who_computed_more_than_a_fifth_of_a_second_is_loud(
    computed_us: dict[int, int], found: tuple[int, float] | None
) -> None:
    assert loudest(computed_us) == found
