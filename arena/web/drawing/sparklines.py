"""Charts that stand in a cell of a table: sparklines, and bars of intervals on an axis that the column shares.

They say the same as the figures beside them, so they are hidden from those who hear the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from arena.web.drawing.scale import Scale, tick_text, ticks

_HEIGHT: Final = 16
_REMEMBERED: Final = 2000
"""So many courses are kept drawn: those on a leaderboard stay the same until their bots play."""


@lru_cache(_REMEMBERED)
def sparkline(values: tuple[float, ...], width: int = 88) -> Markup:
    """Return the course of some figures, the last of them as a dot; without two figures there is nothing to draw."""
    if len(values) < 2:
        return Markup("")
    across = Scale(0, len(values) - 1, 2, width - 3).places(range(len(values)))
    up = Scale(min(values), max(values), _HEIGHT - 3, 3).places(values)
    points = " ".join(map("{},{}".format, across, up))
    course = "up" if values[-1] > values[0] else "down" if values[-1] < values[0] else "even"
    last = f'<circle class="dot" cx="{across[-1]}" cy="{up[-1]}" r="2"/>'
    return _small(width, f"spark {course}", f'<polyline class="line" points="{points}"/>{last}')


def interval_bar(scale: Scale, low: float, middle: float, high: float) -> Markup:
    """Return a bar from `low` to `high` with a mark at `middle`; the scale is that of all bars of the column."""
    start, end = scale.at(low), scale.at(high)
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


def common_scale(bounds: Iterable[tuple[float, float]], width: int = 136) -> Scale:
    """Return the scale on which all these intervals find room."""
    found = list(bounds)
    low = min((low for low, _ in found), default=0.0)
    high = max((high for _, high in found), default=1.0)
    return Scale(low, high, 4, width - 4)


def _small(width: int, kind: str, inside: str) -> Markup:
    return Markup(
        f'<svg class="small {kind}" width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}" '
        f'aria-hidden="true">{inside}</svg>'
    )
