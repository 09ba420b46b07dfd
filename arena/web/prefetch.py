"""Looks at one page of every kind before the first visitor does.

The first page of a kind takes many times as long as the next: its statements are made and its templates read only then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

from starlette.types import ASGIApp, Message

from arena.model.errors import ClientError
from arena.model.port import ShownArena
from arena.web.api.asked import PREFIX
from ratings.errors import RatingsError

_HEADERS = ((b"accept-encoding", b"gzip"), (b"accept-language", b"en"))


def request_every_page(app: ASGIApp, arena: ShownArena) -> None:
    """Ask for one page of every kind; what cannot be shown now is shown to nobody."""
    with suppress(ClientError, RatingsError):
        asyncio.run(_ask_all(app, list(dict.fromkeys(_addresses(arena)))))


def _addresses(arena: ShownArena) -> Iterator[str]:
    yield from ("/leaderboards", "/bots", "/compare", "/matches", "/tournaments", f"{PREFIX}/leaderboards")
    for pool in arena.overview.list_pools()[:1]:
        board = f"/leaderboards/{pool.pool_id}"
        yield from (board, *(f"{board}?sort={by}" for by in ("bot", "matches", "score", "-mu")), f"{board}?name=a")
    for bot in arena.overview.search_bots("", limit=1).items:
        yield from (f"/bots/{bot.name}", f"/bot-times/{bot.name}", f"/bots/{bot.name}/badge.svg")
        yield from (f"/matches?bot={bot.name}&{more}" for more in ("", "fared=won", "least_plies=1"))
        yield from (f"{PREFIX}/bots/{bot.name}", f"{PREFIX}/matches?bot={bot.name}")
    for match in arena.matches.list_matches(limit=1).items:
        yield from (f"/matches/{match.id}", f"/matches/{match.id}/board.svg?ply=0")
    for tournament in arena.tournaments.list_tournaments(limit=1).items:
        yield from (f"/tournaments/{tournament.id}", f"{PREFIX}/tournaments/{tournament.id}")


async def _ask_all(app: ASGIApp, addresses: list[str]) -> None:
    for address in addresses:
        await _ask(app, address)


async def _ask(app: ASGIApp, address: str) -> None:
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": list(_HEADERS),
        "client": None,
        "server": None,
    }
    asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        return next(asked, {"type": "http.disconnect"})

    async def send(_: Message) -> None:
        """Nobody reads it."""

    await app(scope, receive, send)
