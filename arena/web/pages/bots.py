"""The bots: a list that can be searched, all that is known of one of them, and whether one is better than another."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from arena.i18n.catalogue import words
from arena.match.replay import ReplayError
from arena.model.bots import Admission
from arena.model.errors import ForbiddenError, HiddenError, RefusedError, UnknownError
from arena.model.port import ShownArena
from arena.model.ratings import WalkPoint
from arena.model.table_columns import PLACES
from arena.web.drawing.charts import as_data, draw_chart, rating_chart, walk_chart
from arena.web.shared.formatting import address_of_page
from arena.web.shared.rendering import render
from arena.web.shared.site import answers_of, arena_of, records_of
from arena.web.shared.visitor import language_of
from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.values.leaderboards import Standing
from ratings.values.page import Page
from ratings.values.states import MatchState
from ratings.values.statistics import Meeting

router = APIRouter()
_PAGE: Final = 50
_FEW: Final = 10
_CURVE_POINTS: Final = 240
"""So many points a rating curve has at most, which is more than a screen can tell apart."""
_TIMED: Final = 5
"""Of so many of the newest matches the use of time is added up: each is read from its replay."""
_COMPARISONS: Final = 20
"""So many comparisons are listed, the newest."""
_WALK_POINTS: Final = 120
_MOST_OPPONENTS: Final = 500
_MANY_MATCHES: Final = 2000
"""The opponents of a version with more matches than that take a while to count."""


@router.get("/bots")
def list_bots(
    request: Request,
    name: Annotated[str, Query(max_length=100)] = "",
    after: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Show the bots by name."""
    page = arena_of(request).overview.search_bots(name, limit=_PAGE, after=after)
    return render(
        request,
        "pages/bots.html",
        bots=page.items,
        name=name,
        next_page=address_of_page("/bots", name=name, after=page.next) if page.next else "",
    )


@router.get("/bots/{name:path}")
def show_bot(
    request: Request,
    name: str,
    pool: Annotated[str, Query(max_length=64)] = "",
    version: Annotated[str, Query(max_length=9, pattern="^[0-9]*$")] = "",
    older: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Show a bot: its versions, those `older` than a cursor tells, and how one of them fares in one pool."""
    arena = arena_of(request)
    bot = arena.bots.get_bot(name)
    standings = arena.overview.list_standings(bot.name)
    fitting = [
        one for one in standings if one.pool.pool_id.startswith(pool) and version in ("", str(one.number))
    ] or list(standings)
    chosen = fitting[0] if fitting else None
    versions = arena.bots.list_versions(bot.name, limit=_FEW, after=older)
    admission: Admission | None = None
    with suppress(ForbiddenError, UnknownError, NotFoundError):
        admission = arena.admissions.get_admission(f"{bot.name}@{bot.newest.content_hash}")
    return render(
        request,
        "pages/bot.html",
        bot=bot,
        standings=standings,
        places=PLACES,
        chosen=chosen,
        versions=versions,
        older=address_of_page(request.url.path, pool=pool, version=version, older=versions.next)
        if versions.next
        else "",
        admission=admission,
        matches=arena.matches.list_matches(bot=bot.name, limit=_FEW),
        **_figures(request, arena, chosen),
    )


def _figures(request: Request, arena: ShownArena, chosen: Standing | None) -> dict[str, Any]:
    if chosen is None:
        return {"curve": None, "record": None}
    record = records_of(request).record(arena, chosen, _CURVE_POINTS, answers_of(request).ask)
    points = record.curve
    chart = rating_chart(points, words(language_of(request)).say) if points else None
    every = max(1, len(points) // _FEW)
    return {
        "curve": draw_chart(chart, "curve") if chart else None,
        "curve_data": as_data(chart) if chart else "",
        "curve_points": [*points[:-1:every], points[-1]] if points else [],
        "record": record,
    }


@router.get("/bot-times/{name:path}")
def show_times(request: Request, name: str) -> Response:
    """Show how a bot spent its time in its newest matches."""
    arena = arena_of(request)
    bot = arena.bots.get_bot(name)
    newest = arena.matches.list_matches(bot=bot.name, state=MatchState.FINISHED, limit=_TIMED)
    times = []
    for match in newest.items:
        with suppress(HiddenError, NotFoundError, ReplayError, UnknownError):
            totals = arena.matches.get_times(match.id).totals
            times += [(match.id, total) for total in totals if total.bot == bot.name]
    return render(request, "pages/bot_times.html", bot=bot, times=times)


@dataclass(frozen=True, slots=True)
class PoolComparison:
    """How two bots stand in one pool, and how they fared against one another there."""

    new: Standing
    old: Standing
    meeting: Meeting | None


@router.get("/compare")
def compare(
    request: Request, new: Annotated[str, Query(max_length=200)] = "", old: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Show two bots beside one another, and the comparisons of the newest tournaments.

    They are compared in every pool in which both are rated, by their newest versions there, or those that are named.
    """
    arena, pools = arena_of(request), list[PoolComparison]()
    if new and old:
        ones, others = _by_pool(arena, new), _by_pool(arena, old)
        if arena.bots.find_version(new).version_id == arena.bots.find_version(old).version_id:
            raise RefusedError(Text("{new} and {old} are the same version; name two", new=repr(new), old=repr(old)))
        for pool, one in ones.items():
            if (other := others.get(pool)) is None:
                continue
            version = f"{new.partition('@')[0]}@{one.content_hash}"
            more = {"pool": pool, "limit": _MOST_OPPONENTS}
            if one.matches > _MANY_MATCHES:
                met: Page[Meeting] = answers_of(request).ask(arena, "statistics.list_opponents", version, **more)
            else:
                met = arena.statistics.list_opponents(version, pool=pool, limit=_MOST_OPPONENTS)
            meeting = next((each for each in met.items if each.opponent_id == other.version_id), None)
            pools.append(PoolComparison(one, other, meeting))
    found = arena.overview.find_comparisons([name.partition("@")[0] for name in (new, old) if name], _COMPARISONS)
    return render(request, "pages/compare.html", new=new, old=old, pools=pools, comparisons=found)


def _by_pool(arena: ShownArena, text: str) -> dict[str, Standing]:
    version = arena.bots.find_version(text)
    found: dict[str, Standing] = {}
    for standing in arena.overview.list_standings(version.bot):
        if "@" not in text or standing.version_id == version.version_id:
            found.setdefault(standing.pool.pool_id, standing)
    return found


@router.get("/compare/{tournament}")
def show_comparison(request: Request, tournament: str) -> Response:
    """Show how the test of a comparison went."""
    arena = arena_of(request)
    detail = answers_of(request).get_tournament(arena, tournament)
    result = detail.comparison
    if result is None:
        raise RefusedError(
            Text(
                "{name} compares nothing: its format is {format}",
                name=repr(detail.summary.name),
                format=detail.summary.format,
            )
        )
    points: tuple[WalkPoint, ...] = answers_of(request).of_tournament(
        arena, detail.summary.id, "overview.walk_comparison", points=_WALK_POINTS
    )
    chart = walk_chart(points, result, words(language_of(request)).say)
    every = max(1, len(points) // 12)
    return render(
        request,
        "pages/comparison.html",
        detail=detail,
        result=result,
        walk=draw_chart(chart, "walk"),
        walk_data=as_data(chart),
        walk_points=[*points[:-1:every], points[-1]] if points else [],
    )
