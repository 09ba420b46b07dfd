"""How fast a run goes, and when it will be over."""

from __future__ import annotations

import pytest

from arena.match.report import MatchReport
from arena.match.result import MatchResult
from arena.tournament.run_progress import RunTally

RESULT = MatchResult(ranks=(1, 2), by_rules=True, rated=True, forfeits=(), resigned=(), faults=(), details={})
REPORT = MatchReport("m", 1, RESULT, 21, 10, 1_700_000_000_000_000, 1000, "ab", "cd", b"replay")


def test_the_speed_is_that_of_this_run_and_says_when_it_ends() -> None:
    tally = RunTally(finished=10, void=2, total=40, started_s=100.0)
    fresh = tally.at(100.0)
    assert (fresh.games_per_second, fresh.eta_s, fresh.over) == (0.0, None, 12)
    assert tally.at(104.0).eta_s is None  # no match has ended
    tally.count_lost(again=True)
    tally.count_lost(again=False)
    tally.count_planned(2)
    now = tally.at(105.0)
    assert (now.lost, now.void, now.total, now.finished, tally.open) == (2, 3, 42, 10, 29)


@pytest.mark.parametrize(("elapsed_s", "speed", "eta_s"), [(4.0, 0.75, 20.0), (0.5, 6.0, 2.5)])
def test_matches_of_earlier_runs_are_over_but_not_fast(elapsed_s: float, speed: float, eta_s: float) -> None:
    tally = RunTally(finished=10, void=0, total=30, started_s=7.0)
    for _ in range(3):
        tally.count_lost(again=True)
        tally.count_report(REPORT)
    assert tally.open == 30 - 10 - 3
    tally.correct(finished=13, void=2, total=30, is_cancelled=False)
    now = tally.at(7.0 + elapsed_s)
    assert (now.played, now.plies, now.decisions) == (3, 3 * 21, 3 * 10)
    assert now.games_per_second == pytest.approx(speed)
    assert now.eta_s == pytest.approx(eta_s)
