"""Time controls: their texts, the time a decision has, and what it is charged for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.time_control import (
    Figures,
    TimeControl,
    TimeControlError,
    TimingError,
    format_time_control,
    pack_figures,
    parse_time_control,
    unpack_figures,
)
from tests.support.texts import CHARACTERS

HALF_PONDERING = (",pondering", "50ms,", "50ms,ponder", "50ms,pondering,")
MICROSECONDS = st.integers(0, 10**12)
FIGURES = st.builds(
    Figures, MICROSECONDS, MICROSECONDS, MICROSECONDS, MICROSECONDS, st.integers(1, 10**6), st.booleans()
)
UNSEEN = st.builds(Figures, MICROSECONDS, is_readable=st.booleans())
CORES = st.integers(1, 64)


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


def seen(wall: int, cpu: int = 0, wait: int = 0, lag: int = 0) -> Figures:
    return Figures(wall, cpu, wait, lag, looks=1)


@pytest.mark.parametrize(
    ("figures", "cores", "charge"),
    [
        pytest.param(seen(500, cpu=100, wait=390), 1, 110, id="a busy host is given back"),
        pytest.param(seen(500, cpu=300, wait=390), 1, 300, id="what was computed is paid in any case"),
        pytest.param(seen(250, wait=10, lag=5), 1, 235, id="a sleeper pays its sleep"),
        pytest.param(seen(100, cpu=190), 2, 100, id="two busy threads on two cores pay the wall"),
        pytest.param(seen(100, cpu=190), 1, 100, id="nobody pays more than the wall"),
        pytest.param(seen(100, cpu=20, wait=300), 1, 20, id="more waits than time leave the computing"),
        pytest.param(Figures(100, 20, 30, 40, looks=3, is_readable=False), 1, 100, id="unreadable figures"),
        pytest.param(Figures(15, 1, 1, 1), 1, 15, id="a short decision, never looked at"),
    ],
)
def test_the_charge_of_a_decision(figures: Figures, cores: int, charge: int) -> None:
    assert figures.charge_us(cores) == charge


@settings(max_examples=30)
@given(FIGURES, CORES)
def test_nobody_is_charged_more_than_wall_or_less_than_the_computing_allows(figures: Figures, cores: int) -> None:
    charge = figures.charge_us(cores)
    assert charge <= figures.wall_us
    assert charge >= min(figures.wall_us, figures.cpu_us // cores)


@settings(max_examples=30)
@given(FIGURES, CORES, MICROSECONDS)
def test_a_host_that_was_busier_never_makes_a_decision_dearer(figures: Figures, cores: int, more: int) -> None:
    busier = Figures(
        figures.wall_us,
        figures.cpu_us,
        figures.queue_wait_us + more,
        figures.referee_lag_us,
        figures.looks,
        figures.is_readable,
    )
    assert busier.charge_us(cores) <= figures.charge_us(cores)


@settings(max_examples=30)
@given(FIGURES, CORES, MICROSECONDS)
def test_computing_more_never_makes_a_decision_cheaper(figures: Figures, cores: int, more: int) -> None:
    harder = Figures(
        figures.wall_us,
        figures.cpu_us + more,
        figures.queue_wait_us,
        figures.referee_lag_us,
        figures.looks,
        figures.is_readable,
    )
    assert harder.charge_us(cores) >= figures.charge_us(cores)


@settings(max_examples=30)
@given(st.lists(FIGURES | UNSEEN))
def test_the_column_is_read_as_it_was_written(decisions: list[Figures]) -> None:
    assert unpack_figures(pack_figures(decisions), [figures.wall_us for figures in decisions]) == decisions


def test_a_decision_that_was_not_looked_at_takes_one_byte() -> None:
    assert pack_figures([Figures(1000)] * 3) == "AQEB"


@pytest.mark.parametrize(
    ("column", "walls", "problem"),
    [
        ("AQEB", [1, 2], "go on after the last of 2"),
        ("AQEB", [1, 2, 3, 4], "end after 3 of 4"),
        ("Aw==", [1], "end after 0 of 1"),
        ("gA==", [1], "cut off inside a number"),
        ("////////////////", [1], "too long"),
        ("A", [1], "no base64"),
        ("ä", [1], "no base64"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(column: str, walls: list[int], problem: str) -> None:
    with pytest.raises(TimingError, match=problem):
        unpack_figures(column, walls)


@settings(max_examples=30)
@given(st.text(CHARACTERS, max_size=40), st.lists(MICROSECONDS, max_size=5))
def test_no_text_raises_anything_else(column: str, walls: list[int]) -> None:
    try:
        decisions = unpack_figures(column, walls)
    except TimingError:
        return
    assert len(decisions) == len(walls)


def test_evidence_holds_the_figures_or_says_that_they_could_not_be_read() -> None:
    assert seen(5, 4, 3, 2).to_json() == {"cpu_us": 4, "queue_wait_us": 3, "referee_lag_us": 2, "looks": 1}
    assert Figures(5, is_readable=False).to_json() == {"readable": False}
    assert Figures(5).to_json() == {}
