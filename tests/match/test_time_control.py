"""Time controls: their texts, and the time a decision has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.time_control import TimeControl, TimeControlError, format_time_control, parse_time_control

HALF_PONDERING = (",pondering", "50ms,", "50ms,ponder", "50ms,pondering,")


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("50ms", TimeControl(decision_limit_us=50_000)),
        ("2s", TimeControl(decision_limit_us=2_000_000)),
        ("0.5ms", TimeControl(decision_limit_us=500)),
        ("60+1,pondering", TimeControl(bank_us=60_000_000, increment_us=1_000_000, may_ponder=True)),
        ("none,pondering", TimeControl(may_ponder=True)),
        ("60+1", TimeControl(bank_us=60_000_000, increment_us=1_000_000)),
        ("60+0.25/5s", TimeControl(5_000_000, 60_000_000, 250_000)),
        ("none", TimeControl()),
    ],
)
def test_a_text_is_read_and_written_back(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control
    assert parse_time_control(format_time_control(control)) == control


@pytest.mark.parametrize("text", ["none", "50ms", "60+1"])
def test_what_no_text_tells_is_given_beside_it(text: str) -> None:
    control = parse_time_control(text, start_limit_us=7, margin_us=8)
    assert (control.start_limit_us, control.margin_us) == (7, 8)
    assert format_time_control(control) == text


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**6))
def test_every_control_in_whole_milliseconds_survives_its_text(limit_ms: int, bank_ms: int, increment_ms: int) -> None:
    bank_ms %= 10**9
    control = TimeControl(limit_ms * 1000, bank_ms * 1000, increment_ms * 1000 if bank_ms else 0)
    if limit_ms < 10**9:
        assert parse_time_control(format_time_control(control)) == control


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0ms",
        "0s",
        "5",
        "5m",
        "-1s",
        "1+",
        "+1",
        "0+1",
        "1+1/",
        "/5s",
        "1e3ms",
        "٣s",
        "5s ",
        ",pondering",
        "50ms,",
        "50ms,ponder",
    ],
)
def test_what_is_no_time_control_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(TimeControlError, match=r"50ms|bank must be above 0"):
        parse_time_control(text)


def test_the_allowance_is_the_limit_the_bank_or_the_smaller_one() -> None:
    assert parse_time_control("none").allowance_us(0) == 0
    assert parse_time_control("50ms").allowance_us(0) == 50_000
    assert parse_time_control("60+1").allowance_us(7) == 7
    assert parse_time_control("60+1").allowance_us(0) == 1
    assert parse_time_control("60+1/5s").allowance_us(60_000_000) == 5_000_000
    assert parse_time_control("60+1/5s").allowance_us(2_000_000) == 2_000_000


def test_what_was_written_before_there_was_pondering_stays_the_same() -> None:
    assert "may_ponder" not in TimeControl(50_000).to_json()
    for control in (TimeControl(50_000), TimeControl(50_000, may_ponder=True)):
        assert TimeControl.from_json(control.to_json()) == control
