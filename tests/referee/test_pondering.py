"""Who computes while others decide, and who only tidies up."""

import pytest

from arena.referee.pondering import WINDOW_S, Pondering, PonderWatch


class Burner:
    """A meter of a bot whose CPU the test sets."""

    def __init__(self) -> None:
        self.cpu_us = 0

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
    found = watch(share, 3 * WINDOW_S)
    assert found is not None
    assert found.seat == 1
    assert found.share == pytest.approx(share, rel=0.01)
    assert "of a core" in found.explain()


@pytest.mark.hostile("compute-in-short-gaps")
def test_it_is_found_over_many_short_decisions_too() -> None:
    assert watch(1.0, 30 * WINDOW_S, decision_s=0.06) is not None


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_a_little_is_overlooked(share: float) -> None:
    assert watch(share, 10 * WINDOW_S) is None


def test_a_burst_is_overlooked() -> None:
    assert watch(1.0, 0.9 * WINDOW_S) is None


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
