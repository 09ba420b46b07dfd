"""Bots: who there is, their versions, what happened to them, and how they fare."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request

from arena.model.bots import BotDetail, BotEvent, BotSummary, BotVersion
from arena.model.overview import Record
from arena.web.api.asked import USUAL, After, BotPath, Limit, Name
from arena.web.shared.request_context import answers_of, arena_of, records_of
from ratings.values.leaderboards import Standing
from ratings.values.page import Page
from ratings.values.statistics import Meeting, RatingChange, SeatResult

router = APIRouter(tags=["bots"])
_POINTS: Final = 240
"""So many points a rating curve has at most."""


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
