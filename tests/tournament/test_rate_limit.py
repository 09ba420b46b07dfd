"""The pace of a ladder: in the long run so many matches a day and no more."""

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.rate_limit import BURST_S, DAY_S, MatchRateLimit, matches_to_look_at, pace_after

EXAMPLES = settings(max_examples=30)


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
