"""Renders pages from templates: everything is escaped, nothing may be undefined, all words come from the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, partial
from importlib.metadata import version
from typing import Any, Final

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from arena.i18n.catalogue import NAMES, Words, translate, words
from arena.model import columns
from arena.web.drawing import sparklines
from arena.web.drawing.marks import bot_link, mark_of
from arena.web.shared import formats
from arena.web.shared.pools import game_title, pool_details
from arena.web.shared.preferences import language_of, theme_of
from arena.web.shared.request_context import age_of
from arena.web.shared.static_files import address_of

_SETTINGS: Final = json.dumps({"includeIndicatorStyles": False, "allowEval": False, "historyCacheSize": 0})
"""Those of htmx: neither inline styles nor evaluated texts, which the policy of the pages forbids."""
POLLS: Final = "x-being-made"
"""Set by the page that waits for another one to be made."""
WAITS: Final = 202
"""The status of that page."""


@cache
def environment() -> Environment:
    """Return the templates of the pages."""
    found = Environment(
        loader=PackageLoader("arena.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.globals.update(
        static=address_of,
        mark_of=mark_of,
        bot_link=bot_link,
        sparkline=sparklines.sparkline,
        interval_bar=sparklines.interval_bar,
        axis=sparklines.axis,
        game_title=game_title,
        pool_details=pool_details,
        languages=NAMES,
        columns=columns,
        htmx_settings=_SETTINGS,
        version=version("kingmaker-arena"),
    )
    found.filters.update(formats.FILTERS)
    return found


def _text_or_name(known: Words, family: str, name: str) -> str:
    """Return the text for a name of a family that may grow, such as a check of bots; without one the name itself."""
    text_id = f"{family}.{name.replace(' ', '_')}"
    return known.say(text_id) if known.knows(text_id) else name


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> Response:
    """Return a page, in the visitor's language.

    A template knows `say` (a text of the catalogue), `say_if` (a text that there may be), `translate` (a sentence
    of the program), `site`, `path`, and `values`.
    """
    language = language_of(request)
    if POLLS in request.headers and status != WAITS:  # it waited for this one, and loads it
        return Response(headers={"hx-refresh": "true"})
    page = (
        environment()
        .get_template(template)
        .render(
            say=words(language).say,
            translate=partial(translate, language=language),
            say_if=partial(_text_or_name, words(language)),
            lang=language,
            theme=theme_of(request),
            site=request.app.state.site,
            path=request.url.path,
            query=dict(request.query_params),
            status=status,
            age_s=age_of(request.state),
            **values,
        )
    )
    answer = HTMLResponse(page, status_code=status, headers=dict(headers or {}))
    answer.headers.setdefault("vary", "Accept-Language, Cookie")
    return answer
