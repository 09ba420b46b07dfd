"""Badges: the rank of a bot as a small picture that any page may show. It stands alone and loads nothing."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from arena.model.port import ShownArena
from arena.web.api.asked import BotPath, Name
from arena.web.drawing.marks import mark_of
from arena.web.middleware.response_headers import PICTURE_POLICY
from arena.web.shared.site import arena_of

router = APIRouter(include_in_schema=False)
_HEADERS: Final = {
    "cache-control": "public, max-age=300",
    "content-security-policy": PICTURE_POLICY,
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
}
_WIDE: Final = frozenset("MWmw@%")
_NARROW: Final = frozenset("iljtfrI.,:;|!' ")


@router.get("/bots/{bot:path}/badge.svg")
def badge(request: Request, bot: BotPath, pool: Name = None) -> Response:
    """Return the badge of a bot: its best rank in a pool, that in which it played most if none is named."""
    arena = arena_of(request)
    name = arena.bots.get_bot(bot).name
    return Response(draw_badge(name, _place(arena, name, pool)), media_type="image/svg+xml", headers=_HEADERS)


def _place(arena: ShownArena, bot: str, pool: str | None) -> str:
    """Return what the badge says of a bot, such as `#3 of 41`: the rank of the version that is rated highest there."""
    pool_id = None if pool is None else _pool_id(arena, pool)
    standings = [one for one in arena.overview.list_standings(bot) if pool_id in (None, one.pool.pool_id)]
    if not standings:
        return "unrated"
    busiest = max(standings, key=lambda one: one.matches).pool.pool_id
    best = min((one for one in standings if one.pool.pool_id == busiest), key=lambda one: one.rank)
    return f"#{best.rank} of {best.of}"


def _pool_id(arena: ShownArena, pool: str) -> str | None:
    """Return the whole id of a pool; a text that no pool has if nothing is rated in it."""
    boards = arena.leaderboards.list_leaderboards(pool=pool, limit=1).boards
    return boards[0].pool.pool_id if boards else ""


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
