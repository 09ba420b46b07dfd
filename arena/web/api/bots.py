"""Bots: who there is, their versions, what happened to them, and how they fare; and the badge of each.

A badge is a small picture with the rank of a bot that any page may show. It loads nothing.
"""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from arena.model.bots import BotDetail, BotEvent, BotSummary, BotVersion
from arena.model.ratings import Record
from arena.web.api.openapi import USUAL, After, BotPath, Limit, Name
from arena.web.drawing.identicons import mark_of
from arena.web.middleware.response_headers import PICTURE_POLICY
from arena.web.shared.site import answers_of, arena_of, records_of
from ratings.values.leaderboards import Standing
from ratings.values.page import Page
from ratings.values.statistics import Meeting, RatingChange, SeatResult

router = APIRouter(tags=["bots"])
badges = APIRouter(include_in_schema=False)
_POINTS: Final = 240
"""So many points a rating curve has at most."""
_HEADERS: Final = {
    "cache-control": "public, max-age=300",
    "content-security-policy": PICTURE_POLICY,
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
}
_WIDE: Final = frozenset("MWmw@%")
_NARROW: Final = frozenset("iljtfrI.,:;|!' ")


@router.get("/bots")
def list_bots(
    request: Request,
    name: Annotated[str | None, Query(max_length=200, description="A part of the name.")] = None,
    limit: Limit = USUAL,
    after: After = None,
) -> Page[BotSummary]:
    """List the bots, those added last first, disabled ones too; with `name` those whose names hold it, by name."""
    arena = arena_of(request)
    return arena.overview.search_bots(name, limit, after) if name else arena.bots.list_bots(limit, after)


@router.get("/bots/{bot:path}/versions")
def list_versions(request: Request, bot: BotPath, limit: Limit = USUAL, after: After = None) -> Page[BotVersion]:
    """List the versions of a bot, the newest first."""
    return arena_of(request).bots.list_versions(bot, limit, after)


@router.get("/bots/{bot:path}/events")
def list_events(request: Request, bot: BotPath, limit: Limit = USUAL, after: After = None) -> Page[BotEvent]:
    """List what happened to a bot, the last first."""
    return arena_of(request).bots.list_events(bot, limit, after)


@router.get("/bots/{bot:path}/history")
def list_history(
    request: Request, bot: BotPath, pool: Name = None, limit: Limit = USUAL, after: After = None
) -> Page[RatingChange]:
    """List the changes of the rating of a version in a pool, the last first."""
    return arena_of(request).statistics.list_history(bot, pool, limit, after)


@router.get("/bots/{bot:path}/standings")
def list_bot_standings(request: Request, bot: BotPath) -> tuple[Standing, ...]:
    """Tell the places of all versions of a bot in all pools, the busiest pool first."""
    arena = arena_of(request)
    return arena.overview.list_standings(arena.bots.find_version(bot).bot)


@router.get("/bots/{bot:path}/record")
def get_bot_record(request: Request, bot: BotPath, pool: Name = None) -> Record:
    """Tell what a version has behind it in a pool by its rated matches: its rating curve, opponents, seats and faults.

    Without `@` it is the newest version that was rated there, without `pool` the busiest one; all is empty if none was.
    """
    arena = arena_of(request)
    version = arena.bots.find_version(bot)
    for one in arena.overview.list_standings(version.bot):
        if one.pool.pool_id.startswith(pool or "") and ("@" not in bot or one.version_id == version.version_id):
            return records_of(request).record(arena, one, _POINTS, answers_of(request).ask)
    return Record((), (), (), ())


@router.get("/bots/{bot:path}/opponents")
def list_opponents(
    request: Request,
    bot: BotPath,
    tournament: Name = None,
    pool: Name = None,
    limit: Limit = USUAL,
    after: After = None,
) -> Page[Meeting]:
    """List how a version fared against everybody whom it met, whom it met most first."""
    return arena_of(request).statistics.list_opponents(bot, tournament, pool, limit, after)


@router.get("/bots/{bot:path}/seats")
def list_bot_seats(
    request: Request, bot: BotPath, tournament: Name = None, pool: Name = None
) -> tuple[SeatResult, ...]:
    """Tell how a version fared in each seat."""
    return arena_of(request).statistics.list_seats(bot, tournament, pool)


@router.get("/bots/{bot:path}")
def get_bot(request: Request, bot: BotPath) -> BotDetail:
    """Show a bot with its newest version."""
    return arena_of(request).bots.get_bot(bot)


@badges.get("/bots/{bot:path}/badge.svg")
def badge(request: Request, bot: BotPath, pool: Name = None) -> Response:
    """Return the badge of a bot: its best rank in a pool, that in which it played most if none is named."""
    arena = arena_of(request)
    name, said, pool_id = arena.bots.get_bot(bot).name, "unrated", None
    if pool is not None:
        boards = arena.leaderboards.list_leaderboards(pool=pool, limit=1).boards
        pool_id = boards[0].pool.pool_id if boards else ""  # no pool has this id: nothing is rated in it
    standings = [one for one in arena.overview.list_standings(name) if pool_id in (None, one.pool.pool_id)]
    if standings:
        busiest = max(standings, key=lambda one: one.matches).pool.pool_id
        best = min((one for one in standings if one.pool.pool_id == busiest), key=lambda one: one.rank)
        said = f"#{best.rank} of {best.of}"
    return Response(draw_badge(name, said), media_type="image/svg+xml", headers=_HEADERS)


def draw_badge(label: str, text: str) -> str:
    """Return a badge: the label beside the mark of the bot that it names, then what is said of it."""
    left, right = 26 + _width(label), 12 + _width(text)
    mark = mark_of(label).svg(14).replace("<svg ", Markup('<svg x="5" y="3" '), 1)
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="{1}: {2}">'
            "<title>{1}: {2}</title>"
            '<clipPath id="r"><rect width="{0}" height="20" rx="3"/></clipPath>'
            '<g clip-path="url(#r)"><rect width="{3}" height="20" fill="#444"/>'
            '<rect x="{3}" width="{4}" height="20" fill="#1f5fae"/></g>{5}'
            '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            '<text x="23" y="14" textLength="{6}">{1}</text><text x="{7}" y="14" textLength="{8}">{2}</text></g></svg>'
        ).format(left + right, _shown(label), _shown(text), left, right, mark, _width(label), left + 6, _width(text))
    )


def _shown(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


def _width(text: str) -> int:
    """Return about how wide a text is in pixels; the picture stretches it to exactly that."""
    return round(sum(10 if char in _WIDE else 4 if char in _NARROW else 7 for char in text)) or 1
