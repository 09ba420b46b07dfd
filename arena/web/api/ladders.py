"""Standing ladders and their seasons."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from arena.model.ladders import Ladder, Season, SeasonTable
from arena.web.api.asked import USUAL, After, Limit
from arena.web.shared.site import arena_of
from ratings.values.page import Page

router = APIRouter(tags=["ladders"])
LadderPath = Annotated[str, Path(max_length=200, description="Its name.")]


@router.get("/ladders")
def list_ladders(request: Request, limit: Limit = USUAL, after: After = None) -> Page[Ladder]:
    """List the ladders, closed ones too."""
    return arena_of(request).ladders.list_ladders(limit, after)


@router.get("/ladders/{ladder}")
def get_ladder(request: Request, ladder: LadderPath) -> Ladder:
    """Show the open ladder of that name, or the one that was closed last."""
    return arena_of(request).ladders.get_ladder(ladder)


@router.get("/ladders/{ladder}/seasons")
def list_seasons(request: Request, ladder: LadderPath, limit: Limit = USUAL, after: After = None) -> Page[Season]:
    """List the seasons of a ladder, the newest first."""
    return arena_of(request).ladders.list_seasons(ladder, limit, after)


@router.get("/ladders/{ladder}/seasons/{number}")
def get_season_table(
    request: Request,
    ladder: LadderPath,
    number: Annotated[int, Path(ge=1, le=2**31 - 1)],
    limit: Limit = USUAL,
    after: After = None,
) -> SeasonTable:
    """Show the archived table of a season that is closed."""
    return arena_of(request).ladders.get_season_table(ladder, number, limit, after)
