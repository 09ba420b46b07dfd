"""Charts as text: where things stand, that they say what they show, that they bring no style of their own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.drawing.charts import (
    Bound,
    Chart,
    Scale,
    axis,
    common_scale,
    draw_chart,
    figure,
    interval_bar,
    sparkline,
    tick_text,
    ticks,
)

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
CHART = Chart(
    name="Rating <of> a",
    told="It rises.",
    across=(1, 2, 3),
    line=(0.0, 1.0, 2.0),
    band=((-1.0, 1.0), (0.5, 1.5), (1.8, 2.2)),
    bounds=(Bound(3.0, "good & well", "good"),),
    across_name="matches",
)


def test_a_chart_says_in_words_what_it_shows_and_escapes_it() -> None:
    drawn = draw_chart(CHART, "curve")
    assert '<title id="curve-name">Rating &lt;of&gt; a</title><desc id="curve-told">It rises.</desc>' in drawn
    assert 'role="img" aria-labelledby="curve-name curve-told"' in drawn
    assert "good &amp; well" in drawn
    assert "style" not in drawn


def test_the_band_surrounds_the_line_and_the_bound_lies_above() -> None:
    drawn = draw_chart(CHART, "curve")
    (line,) = re.findall(r'polyline class="line" points="([^"]+)"', drawn)
    (band,) = re.findall(r'polygon class="band" points="([^"]+)"', drawn)
    (bound,) = re.findall(r'line class="bound good"[^>]* y1="([^"]+)"', drawn)
    heights = [float(point.split(",")[1]) for point in line.split()]
    edges = [float(point.split(",")[1]) for point in band.split()]
    assert all(edges[place] < heights[place] < edges[-1 - place] for place in range(3))
    assert float(bound) < min(heights)


def test_a_chart_of_nothing_is_empty_and_whole() -> None:
    assert draw_chart(Chart("a", "b", (), ()), "x").endswith("</svg>")
    assert "polyline" not in draw_chart(Chart("a", "b", (), ()), "x")


@given(st.lists(NUMBERS, min_size=2, max_size=30))
def test_a_sparkline_stays_within_its_cell(values: list[float]) -> None:
    (points,) = re.findall(r'points="([^"]+)"', sparkline(tuple(values)))
    places = [tuple(map(float, point.split(","))) for point in points.split()]
    assert len(places) == len(values)
    assert all(0 <= x <= 88 and 0 <= y <= 16 for x, y in places)


def test_a_sparkline_tells_whether_it_rose() -> None:
    assert 'class="small spark up"' in sparkline((1, 2))
    assert 'class="small spark down"' in sparkline((2, 1))
    assert 'class="small spark even"' in sparkline((1, 1))
    assert sparkline((1,)) == ""


def test_bars_of_a_column_share_one_axis() -> None:
    scale = common_scale([(0, 5, 10), (None, 7, 20), (5, 6, None)], 108)
    assert 'x1="4" x2="54"' in interval_bar(scale, 0, 5, 10)
    assert 'x1="4"' in axis(scale)
    assert ">10</text>" in axis(scale)


@given(NUMBERS, NUMBERS)
def test_ticks_are_few_round_and_within(low: float, high: float) -> None:
    if high - low > 1e-6:
        found = ticks(low, high)
        room = 1e-6 * (high - low)
        assert 1 <= len(found) <= 6
        assert all(low - room <= value <= high + room for value in found)


@given(st.floats(-1e4, 1e4))
def test_a_figure_is_short_and_near(value: float) -> None:
    text = figure(value)
    assert abs(float(text) - value) <= 0.0500001
    assert text != "-0"


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (-5, "\u22125"), (0.25, "0.25"), (1500, "1500")])
def test_a_tick_tells_no_more_digits_than_it_needs(value: float, text: str) -> None:
    assert tick_text(value) == text


def test_a_scale_without_room_puts_everything_in_the_middle() -> None:
    assert Scale(1, 1, 0, 10).at(1) == "5"
    assert Scale(0, 1, 0, 10).at(7) == "10"
