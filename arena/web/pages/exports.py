"""Tables as files of comma-separated values, as spreadsheets read them, with the filters of their pages.

A name that a spreadsheet would take for a formula has an apostrophe before it, which makes it a text there. A file
holds up to 500 lines; whether there are more, and where, stands in its header `Link`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from starlette.responses import Response

from arena.model.matches import MatchSummary
from arena.web.pages.addresses import address_of_page
from arena.web.pages.leaderboards import SortOrder
from arena.web.pages.matches import MatchSearch
from arena.web.shared.formats import iso_instant
from arena.web.shared.request_context import arena_of
from ratings.values.leaderboards import LeaderboardRow

router = APIRouter()
After = Annotated[str | None, Query(max_length=2000)]
_MOST = 500
_FIRSTS = ("wins", "shared", "draws")
_LEADERBOARD = ("rank", "bot", "version", "owner", "rating", "mu", "sigma", "matches", *_FIRSTS, "score")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""With which what a spreadsheet computes begins."""
_MATCHES = ("match", "tournament", "block", "rotation", "state", "plies", "bots", "ranks", "ended", "faults")


@dataclass(frozen=True, slots=True)
class LeaderboardFilters:
    """What a leaderboard is narrowed by and how it is sorted, as on its page."""

    sort: Annotated[str, Query(max_length=20)] = "rating"
    name: Annotated[str, Query(max_length=100)] = ""
    owner: Annotated[str, Query(max_length=100)] = ""


@router.get("/leaderboards/{pool}/table.csv")
def send_leaderboard(
    request: Request, pool: str, filters: Annotated[LeaderboardFilters, Depends()], after: After = None
) -> Response:
    """Send the live ratings of a pool; what is sorted by the official table on its page comes by the live rating."""
    order = SortOrder.parse("rating" if filters.sort.endswith("elo") else filters.sort)
    board = arena_of(request).overview.sort_leaderboard(
        pool,
        order.by,
        is_descending=order.is_descending,
        name=filters.name,
        owner=filters.owner,
        limit=_MOST,
        after=after,
    )
    lines = map(_rated, board.table)
    more = board.next and address_of_page(
        request.url.path, sort=str(order), name=filters.name, owner=filters.owner, after=board.next
    )
    return _file(f"leaderboard-{board.pool.game}-{board.pool.pool_id[:8]}", _LEADERBOARD, lines, more)


def _rated(row: LeaderboardRow) -> Sequence[Any]:
    rating = (f"{value:.4f}" for value in (row.exposure, row.mu, row.sigma))
    return (
        row.rank,
        plain_text(row.bot),
        row.number,
        plain_text(row.owner or ""),
        *rating,
        row.matches,
        row.wins,
        row.shared,
        row.draws,
        f"{row.score:.4f}",
    )


@router.get("/matches.csv")
def send_matches(request: Request, wanted: Annotated[MatchSearch, Depends()], after: After = None) -> Response:
    """Send the matches that are searched for. Raises HTTPException for what makes no sense."""
    try:
        search = wanted.search()
    except ValueError as error:
        raise HTTPException(400, str(error)) from error
    found = arena_of(request).matches.list_matches(**search, limit=_MOST, after=after or None)
    more = found.next and f"/matches.csv?{wanted.query(after=found.next)}"
    return _file("matches", _MATCHES, map(_match, found.items), more)


def _match(match: MatchSummary) -> Sequence[Any]:
    bots = " ".join(seat.bot for seat in match.seats)
    ranks = " ".join("" if seat.rank is None else str(seat.rank) for seat in match.seats).strip()
    named = plain_text(match.tournament)
    ended = "" if match.ended_at_us is None else iso_instant(match.ended_at_us)
    head = (match.id, named, match.block, match.rotation, match.state.value, match.plies)
    faults = " ".join(f"{number}:{seat.fault}" for number, seat in enumerate(match.seats) if seat.fault)
    return (*head, plain_text(bots), ranks, ended, faults)


def plain_text(name: str) -> str:
    """Return a name as a cell that no spreadsheet computes."""
    return f"'{name}" if name.startswith(_FORMULAS) else name


def _file(name: str, head: Sequence[str], lines: Iterable[Sequence[Any]], more: str | None) -> Response:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows(lines)
    headers = {"content-disposition": f'attachment; filename="{name}.csv"', "cache-control": "no-cache"}
    if more:
        headers["link"] = f'<{more}>; rel="next"'
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
