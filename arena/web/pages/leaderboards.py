"""The leaderboards: all pools, and the table of one of them with its live and its official ratings side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from arena.model.errors import RefusedError
from arena.model.port import ShownArena
from arena.model.ratings import MOST_IN_OFFICIAL, Form, OfficialTable, OverallTable
from arena.model.table_columns import LEADERBOARD
from arena.web.drawing.charts import Z_95, common_scale
from arena.web.shared.formatting import address_of_page
from arena.web.shared.official_tables import CachedTable
from arena.web.shared.rendering import render
from arena.web.shared.site import answers_of, arena_of, records_of, site_of
from engine.translatable import Text
from ratings.values.leaderboards import Leaderboard, LeaderboardRow
from ratings.values.statistics import Method, OfficialRow

router = APIRouter()
PAGE: Final = 50
_LEADERS: Final = 3
_RISING: Final = frozenset(column.title for column in LEADERBOARD if column.order == "ascending")
"""The columns of which the least comes first when they are chosen."""
_OFFICIAL: Final = "elo"
_LIVE_ORDER: Final = "rating"


@dataclass(frozen=True, slots=True)
class SortOrder:
    """How a table is sorted, as its address says it: `matches`, or `-matches` for the other way round."""

    by: str = _LIVE_ORDER
    is_turned: bool = False

    @classmethod
    def parse(cls, text: str) -> SortOrder:
        """Return the order that an address asks for."""
        return cls(text.removeprefix("-") or _LIVE_ORDER, text.startswith("-"))

    @property
    def is_descending(self) -> bool:
        """Return whether the largest comes first."""
        return (self.by in _RISING) is self.is_turned

    def __str__(self) -> str:
        return "-" * self.is_turned + self.by

    def after_choosing(self, column: str) -> SortOrder:
        """Return the order after somebody has chosen a column: the same column again turns it."""
        return replace(self, is_turned=not self.is_turned) if column == self.by else SortOrder(column)

    def aria(self, column: str) -> str:
        """Return how a column is sorted, in the words of `aria-sort`."""
        return "none" if column != self.by else "descending" if self.is_descending else "ascending"


@dataclass(frozen=True, slots=True)
class LeaderboardLine:
    """A line of the table, with all that stands in it."""

    row: LeaderboardRow
    form: Form
    official: OfficialRow | None

    @property
    def live_interval(self) -> tuple[float, float]:
        """Return the bounds between which its strength lies with 95 % by the live rating."""
        return self.row.mu - Z_95 * self.row.sigma, self.row.mu + Z_95 * self.row.sigma


@router.get("/leaderboards")
def list_pools(
    request: Request,
    game: Annotated[str, Query(max_length=100)] = "",
    seats: Annotated[str, Query(max_length=3)] = "",
    remote: Annotated[str, Query(max_length=3)] = "",
    after: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Show all pools, each with its best."""
    everything = arena_of(request).leaderboards.list_leaderboards(limit=_LEADERS, after=after)
    boards = [
        board
        for board in everything.boards
        if game in ("", board.pool.game)
        and seats in ("", str(board.pool.seats))
        and remote in ("", "yes" if board.pool.remote else "no")
    ]
    return render(
        request,
        "pages/leaderboards.html",
        boards=boards,
        games=sorted(Counter(board.pool.game for board in everything.boards).items()),
        counts=sorted(Counter(board.pool.seats for board in everything.boards).items()),
        chosen={"game": game, "seats": seats, "remote": remote},
        next_page=address_of_page("/leaderboards", game=game, seats=seats, remote=remote, after=everything.next)
        if everything.next
        else "",
    )


@router.get("/leaderboards/overall")
def show_overall(request: Request, method: Annotated[list[str] | None, Query(max_length=20)] = None) -> Response:
    """Show one table over all games, with the places by the methods that are chosen; all are fitted."""
    kept, methods = look_at_overall(request), usual_methods()
    found = kept.table
    shown = [(at, name) for at, name in enumerate(methods) if name in (method or ())]
    missing: dict[str, list[str]] = {}
    differing: list[str] | None = None
    if found:
        missing = {one.pool.pool_id: [] for one in found.pools}
        for row in (*found.rows, *found.apart):
            for pool in row.missing:
                missing[pool].append(row.bot)
        places = found.places_by_method()
        differing = [f"{bot} {best}–{worst}" for bot, (best, worst) in places.items() if best != worst]  # noqa: RUF001
    return render(
        request,
        "pages/overall.html",
        kept=kept,
        methods=methods,
        chosen=method or (),
        shown=shown,
        missing=missing,
        differing=differing,
        scale=common_scale((row.low, row.strength, row.high) for row in (found.rows if found else ())),
    )


@router.get("/leaderboards/{pool}")
def show_pool(
    request: Request,
    pool: str,
    sort: Annotated[str, Query(max_length=20)] = _LIVE_ORDER,
    name: Annotated[str, Query(max_length=100)] = "",
    owner: Annotated[str, Query(max_length=100)] = "",
    after: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Show the table of a pool."""
    arena, order, tables = arena_of(request), SortOrder.parse(sort), site_of(request).official
    kept: CachedTable[OfficialTable] = CachedTable()
    if order.by == _OFFICIAL:
        of_pool = arena.overview.pick_leaderboard(pool, ())
        kept = tables.look(of_pool.pool.pool_id, of_pool.matches) if tables else kept
        board = _by_official(arena, of_pool.pool.pool_id, order, name, owner, after, _rows(kept))
    else:
        board = arena.overview.sort_leaderboard(
            pool, order.by, is_descending=order.is_descending, name=name, owner=owner, limit=PAGE, after=after
        )
        kept = tables.look(board.pool.pool_id, board.matches) if tables else kept
    if not board.matches:
        return render(request, "pages/leaderboard_empty.html")
    official = _rows(kept)
    forms = records_of(request).forms(arena, board.pool.pool_id, board.table, answers_of(request).ask)
    lines = [LeaderboardLine(row, forms[row.version_id], official.get(row.version_id)) for row in board.table]
    return render(
        request,
        "pages/leaderboard.html",
        board=board,
        lines=lines,
        kept=kept,
        most_in_official=MOST_IN_OFFICIAL,
        order=order,
        chosen={"name": name, "owner": owner},
        live_scale=common_scale((low, low, high) for low, high in (line.live_interval for line in lines)),
        official_scale=common_scale((row.elo_low, row.elo, row.elo_high) for row in official.values()),
        address=f"/leaderboards/{board.pool.pool_id}",
        as_csv=address_of_page(
            f"/leaderboards/{board.pool.pool_id}/table.csv", sort=str(order), name=name, owner=owner
        ),
        first_page=address_of_page(request.url.path, sort=str(order), name=name, owner=owner) if after else "",
        next_page=address_of_page(request.url.path, sort=str(order), name=name, owner=owner, after=board.next)
        if board.next
        else "",
    )


def look_at_overall(request: Request) -> CachedTable[OverallTable]:
    """Return what is known of the table over all games, by all methods that can be computed here."""
    tables = site_of(request).overall
    matches = sum(board.matches for board in arena_of(request).leaderboards.list_leaderboards(limit=1).boards)
    return tables.look(",".join(usual_methods()), matches) if tables and matches else CachedTable()


def usual_methods() -> tuple[str, ...]:
    """Return the other ways to judge that can be computed here: without OpenSkill where it is not installed."""
    return tuple(name for name in Method if name is not Method.OPENSKILL or find_spec("openskill"))


def _rows(kept: CachedTable[OfficialTable]) -> Mapping[str, OfficialRow]:
    return {row.version: row for row in kept.table.rows} if kept.table else {}


def _by_official(
    arena: ShownArena,
    pool: str,
    order: SortOrder,
    name: str,
    owner: str,
    after: str | None,
    official: Mapping[str, OfficialRow],
) -> Leaderboard:
    ids: Sequence[str] = list(official) if order.is_descending else list(official)[::-1]
    if name or owner:
        found = arena.overview.pick_leaderboard(pool, ids)
        ids = [row.version_id for row in found.table if _holds(row.bot, name) and _holds(row.owner or "", owner)]
    if after is None:
        start = 0
    else:
        if not after.isascii() or not after.isdigit() or len(after) > 6:
            raise RefusedError(
                Text(
                    "{cursor} is no cursor of this list; take the one that the page before gave, or none",
                    cursor=repr(after[:60]),
                )
            )
        start = int(after)
    board = arena.overview.pick_leaderboard(pool, ids[start : start + PAGE])
    return replace(board, next=str(start + PAGE) if start + PAGE < len(ids) else None)


def _holds(text: str, part: str) -> bool:
    return part.casefold() in text.casefold()
