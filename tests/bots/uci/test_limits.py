"""What an engine is told of its time."""

import time

import pytest

from arena.v1 import match_pb2, play_pb2
from bots.decision import Decision, Match
from bots.uci.bot import go_by_clock


def decision(clock: match_pb2.Clock, *, bank_us: int = 0, time_limit_us: int = 0, waited_s: float = 0.0) -> Decision:
    match = Match(play_pb2.MatchStarted(clock=clock), play_pb2.GameInfo())
    asked = play_pb2.Decide(bank_us=bank_us, time_limit_us=time_limit_us)
    return Decision(match, asked, time.monotonic() - waited_s)


def test_without_a_clock_it_thinks_for_a_second() -> None:
    assert go_by_clock(decision(match_pb2.Clock())) == "go movetime 1000"


def test_under_a_limit_it_gets_most_of_what_is_left() -> None:
    clock = match_pb2.Clock(decision_limit_us=2_000_000_000)
    words = go_by_clock(decision(clock, time_limit_us=2_000_000_000)).split()
    assert words[:2] == ["go", "movetime"]
    assert 1_700_000 < int(words[2]) <= 1_800_000


def test_who_has_no_time_left_gets_a_millisecond() -> None:
    clock = match_pb2.Clock(decision_limit_us=1_000)
    assert go_by_clock(decision(clock, time_limit_us=1_000, waited_s=5.0)) == "go movetime 1"


@pytest.mark.parametrize(
    ("clock", "bank_us", "time_limit_us", "go"),
    [
        (match_pb2.Clock(bank_us=9_000_000), 5_500_999, 5_500_999, "go wtime 5500 btime 5500 winc 0 binc 0"),
        (match_pb2.Clock(increment_us=100_000), 0, 1, "go wtime 1 btime 1 winc 100 binc 100"),
        (
            match_pb2.Clock(bank_us=9_000_000, decision_limit_us=1_000_000),
            *(5_000_000, 1_000_000, "go wtime 5000 btime 5000 winc 0 binc 0 movetime 900"),
        ),
    ],
)
def test_a_bank_is_told_in_milliseconds_for_both(
    clock: match_pb2.Clock, bank_us: int, time_limit_us: int, go: str
) -> None:
    assert go_by_clock(decision(clock, bank_us=bank_us, time_limit_us=time_limit_us)) == go
