"""Charts as SVG: a line with its band and bounds, the confidence of a tournament, and what stands in a cell of a table.

No chart needs a script. Those with axes are told in words to who hears the page; those in a cell say the same as the
figures beside them, and are hidden there. Pure functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, log10
from typing import Final

from markupsafe import Markup, escape

from arena.model.ratings import WalkPoint
from arena.model.tournaments import ComparisonResult, ConfidencePoint
from ratings.values.leaderboards import CurvePoint

Say = Callable[..., str]
Z_95: Final = 1.96
"""So many standard deviations on either side hold 95 % of a normal distribution."""
_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 48
_CONFIDENCE_SIZE: Final = (480, 180)
_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_CELL_HEIGHT: Final = 16
_REMEMBERED: Final = 2000
"""So many courses are kept drawn: those on a leaderboard stay the same until their bots play."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps figures from `low` to `high` to places from `start` to `end`, in pixels; either may run downwards."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> str:
        """Return the place of a figure as SVG writes it; what lies outside stands at the border."""
        span = self.high - self.low
        part = 0.5 if span <= 0 else min(1.0, max(0.0, (value - self.low) / span))
        return figure(self.start + part * (self.end - self.start))

    def places(self, values: Iterable[float]) -> list[str]:
        """Return the place of each of many figures, as `at` does, in less time."""
        low, span, start, length = self.low, self.high - self.low, self.start, self.end - self.start
        if span <= 0:
            return [self.at(value) for value in values]
        return [figure(start + min(1.0, max(0.0, (value - low) / span)) * length) for value in values]


def figure(value: float) -> str:
    """Return a number with at most one decimal place, as short as possible."""
    return f"{value:z.1f}".removesuffix(".0")


def ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """Return round figures between two bounds, evenly spaced: 1, 2 or 5 times a power of ten apart."""
    if not low < high:
        return (low,)
    rough = (high - low) / most
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = -floor(-low / step)
    return tuple(step * number for number in range(first, floor(high / step) + 1))


def tick_text(value: float) -> str:
    """Return a round figure without trailing zeros."""
    return f"{value:g}".replace("-", "\u2212")


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure at which something is decided: a line across the chart with its name."""

    value: float
    name: str
    kind: str = ""
    """A class for its colour, such as `good` or `bad`."""


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn: a line over whole numbers, such as matches, and what it is to be read against."""

    name: str
    """What the chart shows, in a few words, for those who hear the page."""
    told: str
    """What it says, in a sentence."""
    across: Sequence[float]
    """The places of the points from left to right, ascending."""
    line: Sequence[float]
    band: Sequence[tuple[float, float]] = ()
    """The interval around each point, if it has one."""
    bounds: Sequence[Bound] = ()
    across_name: str = ""
    """What is counted from left to right."""


def rating_chart(points: Sequence[CurvePoint], say: Say) -> Chart:
    """Return the chart of a strength (mu) with the interval that holds it with 95 %."""
    first, last = points[0], points[-1]
    return Chart(
        name=say("bot.curve"),
        told=say("bot.curve_told", first=f"{first.mu:.1f}", last=f"{last.mu:.1f}", count=last.matches),
        across=[point.matches for point in points],
        line=[point.mu for point in points],
        band=[(point.mu - Z_95 * point.sigma, point.mu + Z_95 * point.sigma) for point in points],
        across_name=say("leaderboard.matches"),
    )


def walk_chart(points: Sequence[WalkPoint], result: ComparisonResult, say: Say) -> Chart:
    """Return the chart of the log ratio of a comparison between its bounds."""
    low, high = result.bounds
    return Chart(
        name=say("compare.walk"),
        told=say("compare.walk_told", ratio=f"{result.log_ratio:.2f}", low=f"{low:.2f}", high=f"{high:.2f}"),
        across=[point.pairs for point in points],
        line=[point.log_ratio for point in points],
        bounds=(Bound(high, say("compare.better"), "good"), Bound(low, say("compare.not_better"), "bad")),
        across_name=say("compare.pairs"),
    )


def as_data(chart: Chart) -> str:
    """Return the figures of a chart as JSON columns, for the script that shows them under the pointer."""
    line = [round(value, 3) for value in chart.line]
    low = [round(low, 3) for low, _ in chart.band]
    high = [round(high, 3) for _, high in chart.band]
    return json.dumps([list(chart.across), line, *([low, high] if chart.band else [])], separators=(",", ":"))


def draw_chart(chart: Chart, chart_id: str) -> Markup:
    """Return the chart as SVG; `chart_id` must be unique in its page. It grows and shrinks with the page."""
    heights = [*chart.line, *(bound.value for bound in chart.bounds)]
    heights += [edge for pair in chart.band for edge in pair]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    room = 0.05 * (high - low) or 1.0
    first, last = (chart.across[0], chart.across[-1]) if chart.across else (0, 1)
    x, y = Scale(first, last, _LEFT, _WIDTH - _RIGHT), Scale(low - room, high + room, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<line class="grid" x1="{figure(x.start)}" x2="{figure(x.end)}" y1="{y.at(value)}" y2="{y.at(value)}"/>'
        f'<text class="label" x="{_LEFT - 6}" y="{y.at(value)}" dy="4" text-anchor="end">{tick_text(value)}</text>'
        for value in ticks(y.low, y.high)
    ]
    parts += [
        f'<text class="label" x="{x.at(value)}" y="{_HEIGHT - 27}" text-anchor="middle">{tick_text(value)}</text>'
        for value in ticks(x.low, x.high, 6)
        if value == int(value)
    ]
    place = f'x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 5}" text-anchor="end"'
    parts.append(f'<text class="label" {place}>{escape(chart.across_name)}</text>')
    across = x.places(chart.across)
    if chart.band:
        above = map("{},{}".format, across, y.places(high for _, high in chart.band))
        below = list(map("{},{}".format, across, y.places(low for low, _ in chart.band)))
        parts.append(f'<polygon class="band" points="{" ".join([*above, *reversed(below)])}"/>')
    parts += [
        f'<line class="bound {escape(bound.kind)}" x1="{figure(x.start)}" x2="{figure(x.end)}" '
        f'y1="{y.at(bound.value)}" y2="{y.at(bound.value)}"/>'
        f'<text class="label bound {escape(bound.kind)}" x="{_LEFT + 6}" y="{y.at(bound.value)}" '
        f'dy="-5">{escape(bound.name)}</text>'
        for bound in chart.bounds
    ]
    if across:
        up = y.places(chart.line)
        line = " ".join(map("{},{}".format, across, up))
        parts.append(f'<polyline class="line" points="{line}"/>')
        parts.append(f'<circle class="dot" cx="{across[-1]}" cy="{up[-1]}" r="3.5"/>')
    return Markup(
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="{escape(chart_id)}-name {escape(chart_id)}-told">'
        f'<title id="{escape(chart_id)}-name">{escape(chart.name)}</title>'
        f'<desc id="{escape(chart_id)}-told">{escape(chart.told)}</desc>{"".join(parts)}</svg>'
    )


def draw_confidence(points: Sequence[ConfidencePoint], target: float | None, title: str, axis: str) -> Markup:
    """Return how sure an adaptive tournament was of its answer while it went on, as SVG.

    `target` is the confidence that was asked for, `axis` what is written below.
    """
    width, height = _CONFIDENCE_SIZE
    top, bottom = 8, 24

    def height_of(share: float) -> float:
        return top + (height - top - bottom) * (1 - share)

    most = max((point.blocks for point in points), default=1)
    grid = Markup("").join(
        Markup(
            '<path class="ax" d="M{} {:.0f}H{}"/><text class="ax" x="{}" y="{:.0f}" text-anchor="end">{:.0f} %</text>'
        ).format(_LEFT, height_of(share), width, _LEFT - 6, height_of(share) + 4, 100 * share)
        for share in _SHARES
    )
    places = [(_LEFT + 6 + (width - _LEFT - 12) * point.blocks / most, height_of(point.confidence)) for point in points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = Markup("").join(
        Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}: {:.1f} %: {}</title></circle>').format(
            x, y, point.blocks, 100 * point.confidence, ", ".join(point.leaders)
        )
        for (x, y), point in zip(places, points, strict=True)
    )
    goal = Markup("")
    if target is not None:
        goal = Markup('<path class="goal" d="M{} {:.0f}H{}"/>').format(_LEFT, height_of(target), width)
    return Markup(
        '<svg class="confidence" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}">{}{}'
        '<path class="curve" d="{}"/>{}<text class="ax" x="{}" y="{}" text-anchor="end">{} {}</text></svg>'
    ).format(title, width, height, width, height, grid, goal, path, dots, width, height - 6, most, axis)


@lru_cache(_REMEMBERED)
def sparkline(values: tuple[float, ...], width: int = 88) -> Markup:
    """Return the course of some figures, the last of them as a dot; without two figures there is nothing to draw."""
    if len(values) < 2:
        return Markup("")
    across = Scale(0, len(values) - 1, 2, width - 3).places(range(len(values)))
    up = Scale(min(values), max(values), _CELL_HEIGHT - 3, 3).places(values)
    points = " ".join(map("{},{}".format, across, up))
    course = "up" if values[-1] > values[0] else "down" if values[-1] < values[0] else "even"
    last = f'<circle class="dot" cx="{across[-1]}" cy="{up[-1]}" r="2"/>'
    return _small(width, f"spark {course}", f'<polyline class="line" points="{points}"/>{last}')


def interval_bar(scale: Scale, low: float | None, middle: float, high: float | None) -> Markup:
    """Return a bar from `low` to `high` with a mark at `middle`; the scale is that of all bars of the column.

    Where there is no end, the bar goes on to the edge.
    """
    start, end = scale.at(scale.low if low is None else low), scale.at(scale.high if high is None else high)
    bar = f'<line class="bar" x1="{start}" x2="{end}" y1="8" y2="8"/>'
    mark = f'<circle class="dot" cx="{scale.at(middle)}" cy="8" r="3"/>'
    return _small(int(scale.end) + 4, "interval", bar + mark)


def axis(scale: Scale) -> Markup:
    """Return the axis of a column of bars: a few round figures where they stand."""
    shown = ticks(scale.low, scale.high, 3)
    texts = "".join(
        f'<line class="tick" x1="{scale.at(value)}" x2="{scale.at(value)}" y1="12" y2="16"/>'
        f'<text x="{scale.at(value)}" y="10" text-anchor="middle">{tick_text(value)}</text>'
        for value in shown
    )
    return _small(int(scale.end) + 4, "axis", texts)


def common_scale(intervals: Iterable[tuple[float | None, float, float | None]], width: int = 136) -> Scale:
    """Return the scale on which all these intervals fit: of each the lower end, the point, and the upper end."""
    found = list(intervals)
    low = min((middle if low is None else low for low, middle, _ in found), default=0.0)
    high = max((middle if high is None else high for _, middle, high in found), default=1.0)
    return Scale(low, high, 4, width - 4)


def _small(width: int, kind: str, inside: str) -> Markup:
    return Markup(
        f'<svg class="small {kind}" width="{width}" height="{_CELL_HEIGHT}" viewBox="0 0 {width} {_CELL_HEIGHT}" '
        f'aria-hidden="true">{inside}</svg>'
    )
