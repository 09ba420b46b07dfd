"""Whether one bot is better than another: their meetings, and the comparisons that were asked for, drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from arena.i18n.catalogue import words
from arena.model.answers import ComparisonResult
from arena.model.errors import RefusedError
from arena.model.overview import WalkPoint
from arena.model.port import ShownArena
from arena.model.tournaments import TournamentDetail
from arena.web.drawing.chart import draw
from arena.web.drawing.curves import as_data, walk_chart
from arena.web.shared.preferences import language_of
from arena.web.shared.rendering import render
from arena.web.shared.request_context import answers_of, arena_of
from engine.text import Text
from ratings.values.leaderboards import Standing
from ratings.values.page import Page
from ratings.values.statistics import Meeting

router = APIRouter()
_SHOWN: Final = 20
"""So many comparisons are listed, the newest."""
_POINTS: Final = 120
_MOST_OPPONENTS: Final = 500
_MANY: Final = 2000
"""The opponents of a version with more matches than that take a while to count."""


@dataclass(frozen=True, slots=True)
class PoolComparison:
    """How two bots stand in one pool, and how they fared against one another there."""

    new: Standing
    old: Standing
    meeting: Meeting | None


@router.get("/compare")
def compare(
    request: Request,
    new: Annotated[str, Query(max_length=200)] = "",
    old: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show two bots beside one another, and the comparisons of the newest tournaments."""
    arena = arena_of(request)
    pools = _pools(request, new, old) if new and old else []
    found = arena.overview.find_comparisons([name.partition("@")[0] for name in (new, old) if name], _SHOWN)
    return render(request, "pages/compare.html", new=new, old=old, pools=pools, comparisons=found)


def _pools(request: Request, new: str, old: str) -> list[PoolComparison]:
    """Return every pool in which both are rated, with their newest versions there, or those that are named."""
    arena = arena_of(request)
    ones, others = _by_pool(arena, new), _by_pool(arena, old)
    if arena.bots.find_version(new).version_id == arena.bots.find_version(old).version_id:
        raise RefusedError(
            Text(
                "web.same_version_name_two",
                "{new} and {old} are the same version; name two",
                new=repr(new),
                old=repr(old),
            )
        )
    return [
        PoolComparison(ones[pool], others[pool], _meeting(request, new, ones[pool], others[pool]))
        for pool in ones
        if pool in others
    ]


def _by_pool(arena: ShownArena, text: str) -> dict[str, Standing]:
    version = arena.bots.find_version(text)
    found: dict[str, Standing] = {}
    for standing in arena.overview.list_standings(version.bot):
        if "@" not in text or standing.version_id == version.version_id:
            found.setdefault(standing.pool.pool_id, standing)
    return found


def _meeting(request: Request, new: str, one: Standing, other: Standing) -> Meeting | None:
    arena, text = arena_of(request), f"{new.partition('@')[0]}@{one.content_hash}"
    more = {"pool": one.pool.pool_id, "limit": _MOST_OPPONENTS}
    if one.matches > _MANY:
        met: Page[Meeting] = answers_of(request).ask(arena, "statistics.list_opponents", text, **more)
    else:
        met = arena.statistics.list_opponents(text, pool=one.pool.pool_id, limit=_MOST_OPPONENTS)
    return next((meeting for meeting in met.items if meeting.opponent_id == other.version_id), None)


@router.get("/compare/{tournament}")
def show_comparison(request: Request, tournament: str) -> Response:
    """Show how the test of a comparison went."""
    arena = arena_of(request)
    detail = answers_of(request).get_tournament(arena, tournament)
    result = _result(detail)
    points: tuple[WalkPoint, ...] = answers_of(request).of_tournament(
        arena, detail.summary.id, "overview.walk_comparison", points=_POINTS
    )
    chart = walk_chart(points, result, words(language_of(request)).say)
    every = max(1, len(points) // 12)
    return render(
        request,
        "pages/comparison.html",
        detail=detail,
        result=result,
        walk=draw(chart, "walk"),
        walk_data=as_data(chart),
        walk_points=[*points[:-1:every], points[-1]] if points else [],
    )


def _result(detail: TournamentDetail) -> ComparisonResult:
    if detail.comparison is None:
        raise RefusedError(
            Text(
                "app.compares_nothing_format",
                "{name} compares nothing: its format is {format}",
                name=repr(detail.summary.name),
                format=detail.summary.format,
            )
        )
    return detail.comparison
