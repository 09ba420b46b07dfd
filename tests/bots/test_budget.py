"""How long the search thinks."""

from arena.v1 import match_pb2, play_pb2
from bots.algorithms.search import LONGEST_S, UNLIMITED_S, thinking_seconds
from bots.decision import Decision, Match


class Told(Decision):
    """A decision with a told rest instead of a clock."""

    __slots__ = ("left",)
    left: float | None

    def seconds_left(self) -> float | None:
        return self.left


def told(left: float | None, *, bank_us: int = 0, increment_us: int = 0) -> Decision:
    clock = match_pb2.Clock(bank_us=bank_us, increment_us=increment_us)
    match = Match(play_pb2.MatchStarted(clock=clock), play_pb2.GameInfo())
    decision = Told(match, play_pb2.Decide(bank_us=bank_us), 0.0)
    decision.left = left
    return decision


def test_it_leaves_a_good_part_of_the_limit_unused() -> None:
    assert 0.02 < thinking_seconds(told(0.05)) < 0.04


def test_it_does_not_think_when_nothing_is_left() -> None:
    assert thinking_seconds(told(0.001)) == 0
    assert thinking_seconds(told(-1.0)) == 0


def test_it_spreads_a_bank_over_the_match() -> None:
    assert 1 < thinking_seconds(told(60.0, bank_us=60_000_000)) < 2
    assert thinking_seconds(told(60.0, bank_us=60_000_000, increment_us=1_000_000)) < 3


def test_a_bank_that_runs_out_lasts_on() -> None:
    assert thinking_seconds(told(0.4, bank_us=400_000)) < 0.4 / 20


def test_without_a_clock_it_takes_a_while() -> None:
    assert thinking_seconds(told(None)) == UNLIMITED_S


def test_however_long_it_may_it_does_not_think_for_ever() -> None:
    assert thinking_seconds(told(1860.0)) == LONGEST_S
    assert thinking_seconds(told(600.0, bank_us=600_000_000, increment_us=30_000_000)) == LONGEST_S
