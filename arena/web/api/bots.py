"""Bots: who there is, their versions, what happened to them, and how they fare."""

from __future__ import annotations

from fastapi import APIRouter, Request

from arena.client.values.bots import BotDetail, BotEvent, BotSummary, BotVersion
from arena.client.values.page import Page
from arena.client.values.statistics import Meeting, RatingChange, SeatResult
from arena.web.api.asked import USUAL, After, BotPath, Limit, Name
from arena.web.frame.asking import arena_of

router = APIRouter(tags=["bots"])


@router.get("/bots")
def list_bots(request: Request, limit: Limit = USUAL, after: After = None) -> Page[BotSummary]:
    """List the bots, those added last first, disabled ones too."""
    return arena_of(request).bots.list_bots(limit, after)


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
