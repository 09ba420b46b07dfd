"""A chart with axes: a line, a band around it, bounds; drawn without a script, told in words to who hears it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from arena.web.drawing.scale import Scale, figure, tick_text, ticks

WIDTH, HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 48


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


def draw(chart: Chart, chart_id: str) -> Markup:
    """Return the chart as SVG; `chart_id` must be unique in its page. It grows and shrinks with the page."""
    x, y = _scales(chart)
    parts = [_grid(x, y), _across_axis(chart, x), _band(chart, x, y), _bounds(chart, x, y), _line(chart, x, y)]
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-labelledby="{escape(chart_id)}-name {escape(chart_id)}-told">'
        f'<title id="{escape(chart_id)}-name">{escape(chart.name)}</title>'
        f'<desc id="{escape(chart_id)}-told">{escape(chart.told)}</desc>{"".join(parts)}</svg>'
    )


def _scales(chart: Chart) -> tuple[Scale, Scale]:
    heights = [*chart.line, *(bound.value for bound in chart.bounds)]
    heights += [edge for pair in chart.band for edge in pair]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    room = 0.05 * (high - low) or 1.0
    first, last = (chart.across[0], chart.across[-1]) if chart.across else (0, 1)
    return Scale(first, last, _LEFT, WIDTH - _RIGHT), Scale(low - room, high + room, HEIGHT - _BOTTOM, _TOP)


def _grid(x: Scale, y: Scale) -> str:
    return "".join(
        f'<line class="grid" x1="{figure(x.start)}" x2="{figure(x.end)}" y1="{y.at(value)}" y2="{y.at(value)}"/>'
        f'<text class="label" x="{_LEFT - 6}" y="{y.at(value)}" dy="4" text-anchor="end">{tick_text(value)}</text>'
        for value in ticks(y.low, y.high)
    )


def _across_axis(chart: Chart, x: Scale) -> str:
    values = [value for value in ticks(x.low, x.high, 6) if value == int(value)]
    texts = "".join(
        f'<text class="label" x="{x.at(value)}" y="{HEIGHT - 27}" text-anchor="middle">{tick_text(value)}</text>'
        for value in values
    )
    place = f'x="{WIDTH - _RIGHT}" y="{HEIGHT - 5}" text-anchor="end"'
    return f'{texts}<text class="label" {place}>{escape(chart.across_name)}</text>'


def _band(chart: Chart, x: Scale, y: Scale) -> str:
    if not chart.band:
        return ""
    across = x.places(chart.across)
    above = map("{},{}".format, across, y.places(high for _, high in chart.band))
    below = list(map("{},{}".format, across, y.places(low for low, _ in chart.band)))
    return f'<polygon class="band" points="{" ".join([*above, *reversed(below)])}"/>'


def _bounds(chart: Chart, x: Scale, y: Scale) -> str:
    return "".join(
        f'<line class="bound {escape(bound.kind)}" x1="{figure(x.start)}" x2="{figure(x.end)}" '
        f'y1="{y.at(bound.value)}" y2="{y.at(bound.value)}"/>'
        f'<text class="label bound {escape(bound.kind)}" x="{_LEFT + 6}" y="{y.at(bound.value)}" '
        f'dy="-5">{escape(bound.name)}</text>'
        for bound in chart.bounds
    )


def _line(chart: Chart, x: Scale, y: Scale) -> str:
    places = list(map("{},{}".format, x.places(chart.across), y.places(chart.line)))
    if not places:
        return ""
    last_x, last_y = places[-1].split(",")
    return (
        f'<polyline class="line" points="{" ".join(places)}"/><circle class="dot" cx="{last_x}" cy="{last_y}" r="3.5"/>'
    )
