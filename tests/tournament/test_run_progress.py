"""How fast a run goes, and when it will be over."""

from __future__ import annotations

import pytest

from arena.match.report import MatchReport
from arena.match.result import MatchResult
from arena.tournament.run_progress import RunProgress, RunTally

RESULT = MatchResult(ranks=(1, 2), by_rules=True, rated=True, forfeits=(), resigned=(), faults=(), details={})
REPORT = MatchReport("m", 1, RESULT, 21, 10, 1_700_000_000_000_000, 1000, "ab", "cd", b"replay")


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
