"""Tables as files of comma-separated values, as spreadsheets read them, with the filters of their pages.

A file holds up to 500 lines; whether there are more, and where, stands in its header `Link`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from starlette.responses import Response

from arena.i18n.sanitize import write_csv
from arena.model.table_columns import LEADERBOARD, MATCHES, Column, ColumnKind, pick
from arena.web.pages.leaderboards import SortOrder
from arena.web.pages.matches import MatchSearch
from arena.web.shared.formatting import address_of_page, iso_instant
from arena.web.shared.site import arena_of

router = APIRouter()
After = Annotated[str | None, Query(max_length=2000)]
_MOST = 500
_MATCHES = ("match", "tournament", "block", "rotation", "state", "plies", "seats_rank", "ranks", "ended", "faults")
_HEADINGS = {"seats_rank": "bots"}
"""What stands above a column that is not called by its title."""


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
    more = board.next and address_of_page(
        request.url.path, sort=str(order), name=filters.name, owner=filters.owner, after=board.next
    )
    return _file(f"leaderboard-{board.pool.game}-{board.pool.pool_id[:8]}", LEADERBOARD, board.table, more)


@router.get("/matches.csv")
def send_matches(request: Request, wanted: Annotated[MatchSearch, Depends()], after: After = None) -> Response:
    """Send the matches that are searched for. Raises HTTPException for what makes no sense."""
    try:
        search = wanted.search()
    except ValueError as error:
        raise HTTPException(400, str(error)) from error
    found = arena_of(request).matches.list_matches(**search, limit=_MOST, after=after or None)
    more = found.next and f"/matches.csv?{wanted.query(after=found.next)}"
    return _file("matches", pick(MATCHES, *_MATCHES), found.items, more)


def _figure(value: float) -> Decimal:
    """Return a number with four digits behind the point."""
    return Decimal(f"{value:.4f}")


_WRITERS: Final[Mapping[ColumnKind, Callable[[Any], Any]]] = {
    ColumnKind.INSTANT: iso_instant,
    ColumnKind.PLAYERS: lambda seats: " ".join(seat.bot for seat in seats),
    ColumnKind.SEAT_RANKS: lambda seats: " ".join(
        "" if seat.rank is None else str(seat.rank) for seat in seats
    ).strip(),
    ColumnKind.SEAT_FAULTS: lambda seats: " ".join(f"{at}:{seat.fault}" for at, seat in enumerate(seats) if seat.fault),
    ColumnKind.RATING: _figure,
    ColumnKind.SHARE: _figure,
}
"""How the kinds of columns are written that do not stand there as they are."""


def _file(name: str, columns: Sequence[Column], rows: Iterable[Any], more: str | None) -> Response:
    text = io.StringIO()
    write_csv([[_HEADINGS.get(column.title, column.title) for column in columns]], text)
    write_csv(([_write(column.kind, column.value(row)) for column in columns] for row in rows), text)
    headers = {"content-disposition": f'attachment; filename="{name}.csv"', "cache-control": "no-cache"}
    if more:
        headers["link"] = f'<{more}>; rel="next"'
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _write(kind: ColumnKind, value: Any) -> Any:
    return value if value is None or kind not in _WRITERS else _WRITERS[kind](value)
