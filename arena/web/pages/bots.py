"""The bots: a list that can be searched, and all that is known of one of them."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from arena.i18n.catalogue import words
from arena.match.replay import ReplayError
from arena.model.admissions import Admission
from arena.model.bots import BotDetail
from arena.model.columns import PLACES
from arena.model.errors import ForbiddenError, HiddenError, UnknownError
from arena.model.match_details import SeatTime
from arena.model.port import ShownArena
from arena.web.drawing.chart import draw
from arena.web.drawing.curves import as_data, rating_chart
from arena.web.pages.addresses import address_of_page
from arena.web.shared.preferences import language_of
from arena.web.shared.rendering import render
from arena.web.shared.request_context import answers_of, arena_of, records_of
from ratings.errors import NotFoundError
from ratings.values.leaderboards import Standing
from ratings.values.states import MatchState

router = APIRouter()
_PAGE: Final = 50
_FEW: Final = 10
_POINTS: Final = 240
"""So many points a rating curve has at most, which is more than a screen can tell apart."""
_TIMED: Final = 5
"""Of so many of the newest matches the use of time is added up: each is read from its replay."""


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
    chosen = _chosen(standings, pool, version)
    versions = arena.bots.list_versions(bot.name, limit=_FEW, after=older)
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
        admission=_admission(arena, bot),
        matches=arena.matches.list_matches(bot=bot.name, limit=_FEW),
        **_figures(request, arena, chosen),
    )


def _chosen(standings: tuple[Standing, ...], pool: str, version: str) -> Standing | None:
    """Return the place that is looked at: of the version and the pool that are named, as far as they are."""
    fitting = [
        one for one in standings if one.pool.pool_id.startswith(pool) and version in ("", str(one.number))
    ] or list(standings)
    return fitting[0] if fitting else None


def _figures(request: Request, arena: ShownArena, chosen: Standing | None) -> dict[str, Any]:
    if chosen is None:
        return {"curve": None, "record": None}
    record = records_of(request).record(arena, chosen, _POINTS, answers_of(request).ask)
    points = record.curve
    chart = rating_chart(points, words(language_of(request)).say) if points else None
    every = max(1, len(points) // _FEW)
    return {
        "curve": draw(chart, "curve") if chart else None,
        "curve_data": as_data(chart) if chart else "",
        "curve_points": [*points[:-1:every], points[-1]] if points else [],
        "record": record,
    }


def _admission(arena: ShownArena, bot: BotDetail) -> Admission | None:
    """Return the admission of the newest version, if there is one and the viewer may see it."""
    with suppress(ForbiddenError, UnknownError, NotFoundError):
        return arena.admissions.get_admission(f"{bot.name}@{bot.newest.content_hash}")
    return None


@router.get("/bot-times/{name:path}")
def show_times(request: Request, name: str) -> Response:
    """Show how a bot spent its time in its newest matches."""
    arena = arena_of(request)
    bot = arena.bots.get_bot(name)
    newest = arena.matches.list_matches(bot=bot.name, state=MatchState.FINISHED, limit=_TIMED)
    times = [(match.id, total) for match in newest.items for total in _times(arena, match.id, bot.name)]
    return render(request, "pages/bot_times.html", bot=bot, times=times)


def _times(arena: ShownArena, match: str, bot: str) -> list[SeatTime]:
    with suppress(HiddenError, NotFoundError, ReplayError, UnknownError):
        return [total for total in arena.matches.get_times(match).totals if total.bot == bot]
    return []
