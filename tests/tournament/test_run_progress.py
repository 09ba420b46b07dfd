"""How fast a run goes and when it will be over, and how fast a ladder may go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.report import MatchReport
from arena.match.result import MatchResult
from arena.tournament.rate_limit import BURST_S, DAY_S, MatchRateLimit, matches_to_look_at, pace_after
from arena.tournament.run_progress import RunProgress, RunTally

RESULT = MatchResult(ranks=(1, 2), by_rules=True, rated=True, forfeits=(), resigned=(), faults=(), details={})
REPORT = MatchReport("m", 1, RESULT, 21, 10, 1_700_000_000_000_000, 1000, "ab", "cd", b"replay")
EXAMPLES = settings(max_examples=30)


def left_s(now: RunProgress) -> float | None:
    """The seconds to the end that the line of progress tells, or `None` while they are not known."""
    return (now.total - now.over) / now.speed if now.speed else None


def test_the_speed_is_that_of_this_run_and_says_when_it_ends() -> None:
    tally = RunTally(finished=10, void=2, total=40, started_s=100.0)
    fresh = tally.at(100.0)
    assert (fresh.speed, fresh.over) == (None, 12)
    assert tally.at(204.0).speed is None  # no match has ended
    tally.count_lost(again=True)
    tally.count_lost(again=False)
    tally.count_planned(2)
    now = tally.at(105.0)
    assert (now.lost, now.void, now.total, now.finished, tally.open) == (2, 3, 42, 10, 29)


def test_matches_of_earlier_runs_are_over_but_not_fast() -> None:
    tally = RunTally(finished=10, void=0, total=30, started_s=7.0)
    for _ in range(3):
        tally.count_lost(again=True)
        tally.count_report(REPORT)
    assert tally.open == 30 - 10 - 3
    tally.correct(finished=13, void=2, total=30, is_cancelled=False)
    now = tally.at(7.0 + 60.0)
    assert (now.played, now.plies, now.decisions) == (3, 3 * 21, 3 * 10)
    assert now.speed == pytest.approx(3 / 60.0)


def test_the_estimate_does_not_count_the_start() -> None:
    """Two matches at once, each of a second; workers and bots take ten seconds before the first begins."""
    tally, ended_at_s = RunTally(finished=0, void=0, total=40, started_s=0.0, lanes=2), 10.0
    estimates = []
    for _ in range(4):
        ended_at_s += 1.0
        for lane in range(2):
            tally.count_report(REPORT)
            estimates.append(left_s(tally.at(ended_at_s + lane / 10)))
    assert estimates[:3] == [None, None, None]  # until each lane has played one without its start
    truth = [(40 - played) / 2 for played in range(4, 9)]  # counted with the start, the first were above 100
    assert estimates[3:] == pytest.approx(truth, rel=0.35)


def test_slow_matches_are_estimated_from_the_first_result() -> None:
    tally = RunTally(finished=0, void=0, total=4, started_s=0.0, lanes=2)
    tally.count_report(REPORT)
    assert left_s(tally.at(59.0)) is None
    assert left_s(tally.at(100.0)) == pytest.approx(300.0)


@EXAMPLES
@given(st.floats(1, 100_000), st.lists(st.floats(0, 5000), max_size=50))
def test_never_more_than_the_rate_and_one_burst(matches_per_day: float, pauses: list[float]) -> None:
    pace, now, taken = MatchRateLimit(matches_per_day, 0.0), 0.0, 0
    for pause in pauses:
        now += pause
        while pace.wait_s(now) == 0 and taken < 10_000:
            pace.take(now)
            taken += 1
    rate = matches_per_day / DAY_S
    assert taken <= rate * now + max(1.0, rate * BURST_S) + 1e-6


@EXAMPLES
@given(st.floats(1, 100_000))
def test_who_waits_as_long_as_told_may_go_on(matches_per_day: float) -> None:
    pace, now = MatchRateLimit(matches_per_day, 0.0), 0.0
    for _ in range(500):
        wait = pace.wait_s(now)
        now += wait * (1 + 1e-9)
        assert pace.wait_s(now) <= 1e-3
        pace.take(now)


def test_a_match_that_was_not_played_is_given_back() -> None:
    pace = MatchRateLimit(1, 0.0)
    pace.take(0.0)
    assert pace.wait_s(0.0) > 0
    pace.give_back()
    assert pace.wait_s(0.0) == 0


@EXAMPLES
@given(st.integers(24, 50_000), st.integers(0, 3 * 86_400))
def test_a_pace_that_is_taken_up_again_never_allows_more_than_one_that_was_kept(rate: int, quiet_s: int) -> None:
    kept, began, now = MatchRateLimit(rate, 0.0), [], 0.0
    for _ in range(matches_to_look_at(rate) + 5):
        now += kept.wait_s(now)
        kept.take(now)
        began.append(now)
    now += quiet_s
    taken_up = pace_after(rate, began[-matches_to_look_at(rate) :], now)
    assert taken_up.wait_s(now) >= kept.wait_s(now) - 1e-6
    assert taken_up.wait_s(now) <= DAY_S / rate + 1e-6


def test_a_pace_is_full_for_who_has_played_little() -> None:
    assert pace_after(48, [], 100.0).wait_s(100.0) == 0.0
    assert pace_after(48, [99.0], 100.0).wait_s(100.0) == 0.0
    assert pace_after(48, [98.0, 99.0], 100.0).wait_s(100.0) > 0.0
