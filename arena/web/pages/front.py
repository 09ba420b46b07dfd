"""The front page: what is played now, and who leads."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from arena.web.frame.asking import arena_of
from arena.web.frame.rendering import render

router = APIRouter()
_BOARD_ROWS = 5


@router.get("/")
def front(request: Request) -> Response:
    """Show the leaderboards of the busiest pools."""
    boards = arena_of(request).leaderboards.list_leaderboards(limit=_BOARD_ROWS)
    return render(request, "pages/front.html", boards=boards.boards)
