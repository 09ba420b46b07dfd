"""What a stopwatch makes of wall time, a bot's meter and the referee's own waiting. The clock is the test's."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from arena.match.timing import Figures
from arena.referee.stopwatch import LOOK_EVERY_S, Stopwatch


class Loop:
    """Stands for the event loop: its time, and what it runs next."""

    def __init__(self) -> None:
        self.now = 50.0
        self.next: list[Callable[[], None]] = []

    def time(self) -> float:
        return self.now

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.next.append(callback)


class Meter:
    """A bot that computes and waits so much."""

    def __init__(self, reading: tuple[int, int] | None = (5000, 7000), *, has_run: bool = False) -> None:
        self.reading = reading
        self.runs = has_run
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

    def __init__(self, over_us: int = 0, lasting_us: int = 0) -> None:
        self.waits = over_us, lasting_us

    def begin(self) -> None:
        pass

    def look(self) -> tuple[int, int]:
        return self.waits


def start(meter: Meter | None, queue: Queue | None = None, patience_s: float = 1.0) -> tuple[Loop, Stopwatch]:
    loop = Loop()
    return loop, Stopwatch(cast("Any", loop), patience_s, meter, queue)


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


def test_late_looks_add_up_while_the_bot_has_nothing_to_do() -> None:
    meter = Meter((0, 0))
    loop, watch = start(meter)
    loop.now = 50.06
    assert watch.look().referee_lag_us == 40_000
    loop.now = 50.11
    assert watch.look().referee_lag_us == 70_000
    meter.reading = (1000, 0)
    loop.now = 50.15
    assert watch.look().referee_lag_us == 20_000


def test_a_bot_that_sleeps_long_is_not_given_back_every_late_look() -> None:
    loop, watch = start(Meter((0, 0)), patience_s=1000)
    for _ in range(1000):
        loop.now = watch.next_at + 0.03
        figures = watch.look()
    assert figures.referee_lag_us == pytest.approx(330_000, abs=100)


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
    for callback in loop.next:
        callback()
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
