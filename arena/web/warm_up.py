"""Does before the first visitor comes what the first of every kind would have to wait for."""

from __future__ import annotations

from contextlib import suppress

from fastapi import FastAPI

from arena.i18n.catalogue import NAMES, words
from arena.web.api import feed
from arena.web.api.document import document_of
from arena.web.pages import front
from arena.web.pages.games import rules_of
from arena.web.prefetch import request_every_page
from arena.web.shared.answer_cache import AnswerCache
from arena.web.shared.rendering import STATIC, environment, static_address
from arena.web.shared.site import Site
from arena.web.viewer.document import board_size
from arena.web.viewer.stories import renderer_hash
from engine import registry
from engine.core import EngineError

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


def warm_up(app: FastAPI) -> None:
    """Load templates, words and what the arena's parts import; draw the boards; write the OpenAPI; look around."""
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
            _warm_up_game(game)
    request_every_page(app, site.arena)


def _warm_up_game(name: str) -> None:
    for language in NAMES:
        rules_of(name, language)
    renderer_hash(name)
    for seats in registry.get(name).seats:
        board_size(name, seats)
