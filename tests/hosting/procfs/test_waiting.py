"""How the waits of threads become the waiting of a bot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.hosting.procfs.waiting import FAIR_WAIT, MESSENGER_TURNS, RunQueueWait, ThreadWait

MS = 1_000_000
DURATIONS = st.integers(0, 10**9)


def spent(*looks: tuple[int, list[tuple[int, bool]]]) -> int:
    """The waiting after these looks: milliseconds since the one before, and what counts of each thread."""
    waiting, now = RunQueueWait(), 0
    for span, waits in looks:
        now += span * MS
        waiting.add(now, [(wait * MS, is_messenger) for wait, is_messenger in waits])
    return waiting.total_ns // MS


def test_one_thread_that_waits_makes_its_bot_wait() -> None:
    assert spent((20, [(15, False)]), (20, [(20, False)])) == 35


def test_threads_that_work_side_by_side_wait_once() -> None:
    assert spent((20, [(15, False), (12, False), (10, False)])) == 15


def test_messengers_wait_one_after_the_other() -> None:
    assert spent((60, [(15, True), (12, True), (10, False)])) == 37


def test_nobody_waits_longer_than_it_lasts() -> None:
    assert spent((20, [(15, True), (12, True)])) == 20
    assert spent((20, [(300, False)])) == 20


def test_a_wait_that_is_told_late_counts_where_it_was() -> None:
    assert spent((20, []), (20, [(30, False)])) == 30
    assert spent((20, [(20, False)]), (20, [(30, False)])) == 40


@given(st.lists(st.tuples(DURATIONS, st.lists(st.tuples(DURATIONS, st.booleans()), max_size=5)), max_size=20))
def test_the_waiting_grows_and_stays_within_the_time(looks: list[tuple[int, list[tuple[int, bool]]]]) -> None:
    waiting, now, before = RunQueueWait(), 0, 0
    for span, waits in looks:
        now += span
        waiting.add(now, waits)
        assert before <= waiting.total_ns <= now
        before = waiting.total_ns


def test_a_decision_starts_from_nothing() -> None:
    waiting = RunQueueWait()
    waiting.add(20 * MS, [(15 * MS, False)])
    waiting.begin(50 * MS)
    assert waiting.total_ns == 0
    waiting.add(60 * MS, [(40 * MS, False)])
    assert waiting.total_ns == 10 * MS


class TestWaiter:
    def test_a_messenger_waits_in_full_as_often_as_messages_come(self) -> None:
        waiter = ThreadWait()
        assert waiter.count(10 * MS, 0, 2) == (10 * MS, True)
        assert waiter.count(25 * MS, 0, MESSENGER_TURNS) == (15 * MS, True)

    def test_a_thread_that_works_waits_as_long_as_its_work_explains(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        assert waiter.count(50 * MS, 10 * MS, 110) == (50 * MS, False)

    @pytest.mark.hostile("nap-to-be-paid-for-waiting")
    def test_a_napper_is_paid_for_what_it_computes_and_not_for_its_naps(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        assert waiter.count(50 * MS, 100, 120) == (FAIR_WAIT * 100, False)

    def test_waiting_that_came_before_the_work_counts_with_the_work(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        assert waiter.count(50 * MS, 0, 101) == (0, False)
        assert waiter.count(50 * MS, 10 * MS, 102) == (50 * MS, False)

    def test_a_napper_becomes_no_messenger_by_the_next_decision(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 50)
        waiter.begin(1)
        assert waiter.count(50 * MS, 0, 51) == (0, False)

    def test_what_did_not_count_in_one_decision_does_not_count_in_the_next(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        waiter.count(50 * MS, 0, 101)
        waiter.begin(1)
        assert waiter.count(50 * MS, 10 * MS, 102) == (0, False)

    def test_what_was_before_it_was_known_does_not_count(self) -> None:
        assert ThreadWait(50 * MS, 10 * MS, 7).count(51 * MS, 10 * MS, 8) == (MS, True)
