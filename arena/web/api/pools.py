"""Pools: leaderboards, the official table, and what is counted over all their matches."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from arena.client.values.leaderboards import LeaderboardList
from arena.client.values.ratings import OfficialTable
from arena.client.values.statistics import MOST_IN_CROSSTABLE, Crosstable, SeatResult, Spread
from arena.web.api.asked import USUAL, After, Limit, Name, PoolPath
from arena.web.frame.asking import arena_of

router = APIRouter(tags=["pools"])
Most = Annotated[int, Query(ge=1, le=MOST_IN_CROSSTABLE, description="How many versions at most, the best first.")]
_MOST_SEATS = 64


@router.get("/leaderboards")
def list_leaderboards(
    request: Request,
    game: Name = None,
    seats: Annotated[int | None, Query(ge=1, le=_MOST_SEATS)] = None,
    pool: Name = None,
    limit: Limit = USUAL,
    after: After = None,
) -> LeaderboardList:
    """Show the leaderboards of the pools that are asked for, the busiest first, of each the best `limit`."""
    return arena_of(request).leaderboards.list_leaderboards(game, seats, pool, limit, after)


@router.get("/pools/{pool}/official")
def get_official_table(request: Request, pool: PoolPath, limit: Limit = USUAL, after: After = None) -> OfficialTable:
    """Show the official table of a pool: one joint fit of all its matches."""
    return arena_of(request).ratings.get_official_table(pool, limit=limit, after=after)


@router.get("/pools/{pool}/crosstable")
def get_pool_crosstable(request: Request, pool: PoolPath, limit: Most = USUAL) -> Crosstable:
    """Show how the best versions of a pool fared against one another."""
    return arena_of(request).statistics.get_crosstable(pool=pool, limit=limit)


@router.get("/pools/{pool}/seats")
def list_pool_seats(request: Request, pool: PoolPath) -> tuple[SeatResult, ...]:
    """Tell how everybody fared in each seat."""
    return arena_of(request).statistics.list_seats(pool=pool)


@router.get("/pools/{pool}/lengths")
def list_pool_lengths(request: Request, pool: PoolPath) -> tuple[Spread, ...]:
    """Tell how long the matches of a pool are."""
    return arena_of(request).statistics.list_lengths(pool=pool)
