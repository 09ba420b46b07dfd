"""Badges: the rank of a bot as a small picture that any page may show. It stands alone and loads nothing."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from arena.client.arena import ArenaPort
from arena.client.values.leaderboards import Leaderboard, LeaderboardRow
from arena.client.values.page import MOST_LIMIT
from arena.web.api.asked import BotPath, Name
from arena.web.drawing.marks import mark_of
from arena.web.frame.asking import arena_of
from arena.web.guarding.headers import PICTURE_POLICY

router = APIRouter(include_in_schema=False)
_HEADERS: Final = {
    "cache-control": "public, max-age=300",
    "content-security-policy": PICTURE_POLICY,
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
}
_PAGES: Final = 20
"""So many pages of a leaderboard are looked through; who stands below has no rank on his badge."""
_WIDE: Final = frozenset("MWmw@%")
_NARROW: Final = frozenset("iljtfrI.,:;|!' ")


@router.get("/bots/{bot:path}/badge.svg")
def badge(request: Request, bot: BotPath, pool: Name = None) -> Response:
    """Return the badge of a bot: its best rank in a pool, that in which it played most if none is named."""
    arena = arena_of(request)
    name = arena.bots.get_bot(bot).name
    return Response(draw_badge(name, _place(arena, name, pool)), media_type="image/svg+xml", headers=_HEADERS)


def _place(arena: ArenaPort, bot: str, pool: str | None) -> str:
    """Return what the badge says of a bot, such as `#3 of 41`."""
    best: LeaderboardRow | None = None
    for board in arena.leaderboards.list_leaderboards(pool=pool, limit=MOST_LIMIT).boards:
        row = _row_of(arena, board, bot)
        if row is not None and (best is None or row.matches > best.matches):
            best = row
    return "unrated" if best is None else f"#{best.rank} · {best.exposure:.1f}"


def _row_of(arena: ArenaPort, board: Leaderboard, bot: str) -> LeaderboardRow | None:
    """Return the best line of a bot in a leaderboard."""
    for _ in range(_PAGES):
        found = next((row for row in board.table if row.bot == bot), None)
        if found is not None or board.next is None:
            return found
        (board,) = arena.leaderboards.list_leaderboards(
            pool=board.pool.pool_id, limit=MOST_LIMIT, after=board.next
        ).boards
    return None


def draw_badge(label: str, text: str) -> str:
    """Return a badge: the label beside the mark of the bot that it names, then what is said of it."""
    left, right = 26 + _width(label), 12 + _width(text)
    mark = mark_of(label).svg(14).replace("<svg ", Markup('<svg x="5" y="3" '), 1)
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="{1}: {2}">'
            "<title>{1}: {2}</title>"
            '<clipPath id="r"><rect width="{0}" height="20" rx="3"/></clipPath>'
            '<g clip-path="url(#r)"><rect width="{3}" height="20" fill="#444"/>'
            '<rect x="{3}" width="{4}" height="20" fill="#1f5fae"/></g>{5}'
            '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            '<text x="23" y="14" textLength="{6}">{1}</text><text x="{7}" y="14" textLength="{8}">{2}</text></g></svg>'
        ).format(left + right, _shown(label), _shown(text), left, right, mark, _width(label), left + 6, _width(text))
    )


def _shown(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


def _width(text: str) -> int:
    """Return about how wide a text is in pixels; the picture stretches it to exactly that."""
    return round(sum(10 if char in _WIDE else 4 if char in _NARROW else 7 for char in text)) or 1
