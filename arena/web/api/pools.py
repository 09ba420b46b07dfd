"""Pools: leaderboards, the official table, and what is counted over all their matches; and standing ladders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from arena.model.errors import RefusedError
from arena.model.ladders import Ladder, Season, SeasonTable
from arena.model.ratings import Form, OfficialTable, OverallTable
from arena.web.api.openapi import USUAL, After, Limit, Name, PoolPath
from arena.web.pages.leaderboards import SortOrder, look_at_overall
from arena.web.shared.official_tables import CachedTable
from arena.web.shared.site import answers_of, arena_of, records_of, site_of
from engine.translatable import Text
from ratings.values.leaderboards import LeaderboardList, LeaderboardRow
from ratings.values.page import Page
from ratings.values.pools import Pool
from ratings.values.statistics import MOST_IN_CROSSTABLE, Crosstable, SeatResult, Spread

router = APIRouter(tags=["pools"])
ladders = APIRouter(tags=["ladders"])
Most = Annotated[int, Query(ge=1, le=MOST_IN_CROSSTABLE, description="How many versions at most, the best first.")]
Part = Annotated[str, Query(max_length=100, description="Only lines that hold this.")]
LadderPath = Annotated[str, Path(max_length=200, description="Its name.")]
_MOST_SEATS = 64


@dataclass(frozen=True, slots=True)
class RatedLine:
    """A line of a leaderboard, and how that version did lately."""

    row: LeaderboardRow
    form: Form


@dataclass(frozen=True, slots=True)
class SortedLeaderboard:
    """The live ratings of one pool, in the order that is asked for."""

    pool: Pool
    matches: int
    behind: int
    """How many matches are still to be rated anew because results were annulled."""
    items: tuple[RatedLine, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class OfficialNow:
    """The official table of a pool as it was fitted last."""

    table: OfficialTable | None
    """`None` before the first fit is done, or if there is nothing to fit. The chances of pairs may be left out."""
    at_us: int
    """When it was fitted."""
    is_computing: bool
    """Whether another one is being fitted, or will be next."""
    why_not: str
    """Why there is none, if the last try failed."""


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


@router.get("/pools/{pool}/leaderboard")
def get_leaderboard(
    request: Request,
    pool: PoolPath,
    sort: Annotated[str, Query(max_length=20, description="A column, such as `matches`, or `-matches`.")] = "rating",
    name: Part = "",
    owner: Part = "",
    limit: Limit = USUAL,
    after: After = None,
) -> SortedLeaderboard:
    """Show the live ratings of a pool, sorted and narrowed, each with its last ratings, last change and faults."""
    arena, order = arena_of(request), SortOrder.parse(sort)
    board = arena.overview.sort_leaderboard(
        pool, order.by, is_descending=order.is_descending, name=name, owner=owner, limit=limit, after=after
    )
    forms = records_of(request).forms(arena, board.pool.pool_id, board.table, answers_of(request).ask)
    lines = tuple(RatedLine(row, forms[row.version_id]) for row in board.table)
    return SortedLeaderboard(board.pool, board.matches, board.behind, lines, board.next)


@router.get("/pools/{pool}/official")
def get_official_table(request: Request, pool: PoolPath, limit: Limit = USUAL, after: After = None) -> OfficialNow:
    """Show the official table of a pool, one joint fit of all its matches, as it was fitted last.

    It is fitted in the background: `is_computing` tells that a newer one will be there when this is asked again.
    """
    boards = arena_of(request).leaderboards.list_leaderboards(pool=pool, limit=1).boards
    official = site_of(request).official
    kept: CachedTable[OfficialTable] = CachedTable()
    if official and boards:
        kept = official.look(boards[0].pool.pool_id, boards[0].matches)
    table = kept.table
    if table is not None:
        start = 0 if after is None else int(after) if after.isdecimal() else -1
        if not 0 <= start <= len(table.rows):
            raise RefusedError(Text("that is no cursor of this list; take the one that the page before gave"))
        end = start + limit
        table = replace(table, rows=table.rows[start:end], next=str(end) if end < len(table.rows) else None)
    return OfficialNow(table, kept.at_us, kept.is_computing, kept.why_not)


@dataclass(frozen=True, slots=True)
class OverallNow:
    """The table over all games as it was fitted last."""

    table: OverallTable | None
    """`None` before the first fit is done, or if there is nothing to fit."""
    at_us: int
    """When it was fitted."""
    is_computing: bool
    """Whether another one is being fitted, or will be next."""
    why_not: str
    """Why there is none, if the last try failed."""


@router.get("/overall")
def get_overall_table(request: Request) -> OverallNow:
    """Show one table over all pools, with the places by all methods, as it was fitted last.

    It is fitted in the background: `is_computing` tells that a newer one will be there when this is asked again.
    """
    kept = look_at_overall(request)
    return OverallNow(kept.table, kept.at_us, kept.is_computing, kept.why_not)


@router.get("/pools/{pool}/crosstable")
def get_pool_crosstable(request: Request, pool: PoolPath, limit: Most = USUAL) -> Crosstable:
    """Show how the best versions of a pool fared against one another."""
    found: Crosstable = answers_of(request).ask(arena_of(request), "statistics.get_crosstable", pool=pool, limit=limit)
    return found


@router.get("/pools/{pool}/seats")
def list_pool_seats(request: Request, pool: PoolPath) -> tuple[SeatResult, ...]:
    """Tell how everybody fared in each seat."""
    found: tuple[SeatResult, ...] = answers_of(request).ask(arena_of(request), "statistics.list_seats", pool=pool)
    return found


@router.get("/pools/{pool}/lengths")
def list_pool_lengths(request: Request, pool: PoolPath) -> tuple[Spread, ...]:
    """Tell how long the matches of a pool are."""
    found: tuple[Spread, ...] = answers_of(request).ask(arena_of(request), "statistics.list_lengths", pool=pool)
    return found


@ladders.get("/ladders")
def list_ladders(request: Request, limit: Limit = USUAL, after: After = None) -> Page[Ladder]:
    """List the ladders, closed ones too."""
    return arena_of(request).ladders.list_ladders(limit, after)


@ladders.get("/ladders/{ladder}")
def get_ladder(request: Request, ladder: LadderPath) -> Ladder:
    """Show the open ladder of that name, or the one that was closed last."""
    return arena_of(request).ladders.get_ladder(ladder)


@ladders.get("/ladders/{ladder}/seasons")
def list_seasons(request: Request, ladder: LadderPath, limit: Limit = USUAL, after: After = None) -> Page[Season]:
    """List the seasons of a ladder, the newest first."""
    return arena_of(request).ladders.list_seasons(ladder, limit, after)


@ladders.get("/ladders/{ladder}/seasons/{number}")
def get_season_table(
    request: Request,
    ladder: LadderPath,
    number: Annotated[int, Path(ge=1, le=2**31 - 1)],
    limit: Limit = USUAL,
    after: After = None,
) -> SeasonTable:
    """Show the archived table of a season that is closed."""
    return arena_of(request).ladders.get_season_table(ladder, number, limit, after)
