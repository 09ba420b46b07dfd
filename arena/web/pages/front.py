"""The front page: what is played now, who leads, which tournaments go on, and who came last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from arena.client.arena import ArenaPort
from arena.client.values.bots import BotDetail
from arena.client.values.matches import MatchDetail
from arena.client.values.tournaments import TournamentSummary
from arena.web.frame.asking import arena_of, site_of
from arena.web.frame.rendering import render
from arena.web.viewing.sizes import board_size
from ratings.store.states import MatchState

router = APIRouter()
_BOARD_ROWS = 5
_LIVE_BOARDS = 4
_TOURNAMENTS, _LOOKED_THROUGH = 6, 50
_NEWEST_BOTS = 6


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A match that is played now."""

    match: MatchDetail
    size: tuple[int, int] | None
    """Of its picture, so that its place is kept free."""


@router.get("/")
def front(request: Request) -> Response:
    """Show what goes on, and the leaderboards of the busiest pools."""
    arena = arena_of(request)
    return render(
        request,
        "pages/front.html",
        boards=arena.leaderboards.list_leaderboards(limit=_BOARD_ROWS).boards,
        live=_live(arena) if site_of(request).is_live else [],
        tournaments=_running(arena),
        newest=_newest(arena),
    )


def _live(arena: ArenaPort) -> Sequence[LiveBoard]:
    found = arena.matches.list_matches(state=MatchState.LEASED, limit=_LIVE_BOARDS).items
    details = [arena.matches.get_match(match.id) for match in found]
    return [LiveBoard(match, board_size(match.pool.game, len(match.seats))) for match in details]


def _running(arena: ArenaPort) -> Sequence[TournamentSummary]:
    found = arena.tournaments.list_tournaments(limit=_LOOKED_THROUGH).items
    return [one for one in found if one.status == "running"][:_TOURNAMENTS]


def _newest(arena: ArenaPort) -> Sequence[BotDetail]:
    return [arena.bots.get_bot(bot.name) for bot in arena.bots.list_bots(limit=_NEWEST_BOTS).items]
