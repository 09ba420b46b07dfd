"""Draws how sure an adaptive tournament was of its answer while it went on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from arena.model.tournaments import ConfidencePoint

_WIDTH: Final = 480
_HEIGHT: Final = 180
_LEFT: Final = 44
_TOP: Final = 8
_BOTTOM: Final = 24
_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def draw_confidence(points: Sequence[ConfidencePoint], target: float | None, title: str, axis: str) -> Markup:
    """Return the curve as SVG; `target` is the confidence that was asked for, `axis` what is written below."""
    most = max((point.blocks for point in points), default=1)
    grid = Markup("").join(
        Markup(
            '<path class="ax" d="M{} {:.0f}H{}"/><text class="ax" x="{}" y="{:.0f}" text-anchor="end">{:.0f} %</text>'
        ).format(_LEFT, _y(share), _WIDTH, _LEFT - 6, _y(share) + 4, 100 * share)
        for share in _SHARES
    )
    places = [(_x(point.blocks, most), _y(point.confidence)) for point in points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = Markup("").join(
        Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}: {:.1f} %: {}</title></circle>').format(
            x, y, point.blocks, 100 * point.confidence, ", ".join(point.leaders)
        )
        for (x, y), point in zip(places, points, strict=True)
    )
    goal = (
        Markup("")
        if target is None
        else Markup('<path class="goal" d="M{} {:.0f}H{}"/>').format(_LEFT, _y(target), _WIDTH)
    )
    return Markup(
        '<svg class="confidence" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}">{}{}'
        '<path class="curve" d="{}"/>{}<text class="ax" x="{}" y="{}" text-anchor="end">{} {}</text></svg>'
    ).format(title, _WIDTH, _HEIGHT, _WIDTH, _HEIGHT, grid, goal, path, dots, _WIDTH, _HEIGHT - 6, most, axis)


def _x(blocks: int, most: int) -> float:
    return _LEFT + 6 + (_WIDTH - _LEFT - 12) * blocks / most


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)
