"""The charts of these pages: the rating curve of a version with its band, and the walk of a comparison. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final

from arena.model.answers import ComparisonResult
from arena.model.overview import WalkPoint
from arena.web.drawing.chart import Bound, Chart
from ratings.values.leaderboards import CurvePoint

Say = Callable[..., str]
_SURE: Final = 1.96
"""So many standard deviations on either side hold 95 % of a normal distribution."""


def rating_chart(points: Sequence[CurvePoint], say: Say) -> Chart:
    """Return the chart of a strength (mu) with the interval that holds it with 95 %."""
    first, last = points[0], points[-1]
    return Chart(
        name=say("bot.curve"),
        told=say("bot.curve_told", first=f"{first.mu:.1f}", last=f"{last.mu:.1f}", count=last.matches),
        across=[point.matches for point in points],
        line=[point.mu for point in points],
        band=[(point.mu - _SURE * point.sigma, point.mu + _SURE * point.sigma) for point in points],
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
    """Return the figures of a chart for a script that lets people look closer: columns, as JSON."""
    line = [round(value, 3) for value in chart.line]
    low = [round(low, 3) for low, _ in chart.band]
    high = [round(high, 3) for _, high in chart.band]
    return json.dumps([list(chart.across), line, *([low, high] if chart.band else [])], separators=(",", ":"))
