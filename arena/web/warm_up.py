"""Does before the first visitor comes what the first of every kind would have to wait for, and asks for every page.

The first page of a kind takes many times as long as the next: its statements are made and its templates read only then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

from fastapi import FastAPI
from starlette.types import ASGIApp, Message

from arena.i18n.catalogue import NAMES, words
from arena.model.errors import ClientError
from arena.model.port import ShownArena
from arena.web.api import feed
from arena.web.api.openapi import PREFIX, document_of
from arena.web.pages import front
from arena.web.pages.game_catalog import rules_of
from arena.web.shared.answer_cache import AnswerCache
from arena.web.shared.rendering import STATIC, environment, static_address
from arena.web.shared.site import Site
from arena.web.viewer.payload import board_size
from arena.web.viewer.stories import renderer_hash
from engine import registry
from engine.core import EngineError
from ratings.errors import RatingsError

_PARTS = (
    "bots",
    "admissions",
    "tournaments",
    "matches",
    "replays",
    "leaderboards",
    "overview",
    "statistics",
    "ladders",
)
_HEADERS = ((b"accept-encoding", b"gzip"), (b"accept-language", b"en"))


def warm_up(app: FastAPI) -> None:
    """Load templates, texts and the parts of the arena; draw the boards; make the OpenAPI; request every page."""
    site: Site = app.state.site
    if site.helper is not None:
        site.helper.start()
    for part in _PARTS:
        getattr(site.arena, part)
    answers: AnswerCache = app.state.answers
    answers.prepare(site.arena, front.NEWS, site.is_live, waits=True)
    answers.prepare(site.arena, feed.NEWS, waits=False)
    for name in environment().list_templates(extensions=["html"]):
        environment().get_template(name)
    for file in STATIC.rglob("*.*"):
        static_address(str(file.relative_to(STATIC)))
    document_of(app)
    for language in NAMES:
        words(language)
    for game in registry.single_names():
        with suppress(EngineError):
            for language in NAMES:
                rules_of(game, language)
            renderer_hash(game)
            for seats in registry.get(game).seats:
                board_size(game, seats)
    request_every_page(app, site.arena)


def request_every_page(app: ASGIApp, arena: ShownArena) -> None:
    """Request one page of every kind. Errors are ignored: visitors will see them, too."""
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
