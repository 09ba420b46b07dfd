"""Renders pages from templates, and serves the files that they need.

In templates everything is escaped, nothing may be undefined, and all words come from the catalogue. A browser keeps a
file for a year: its address names its content by a hash, and changes with it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from arena.i18n.catalogue import NAMES, Words, translate, words
from arena.model import table_columns as columns
from arena.web.drawing import charts
from arena.web.drawing.identicons import bot_link, mark_of
from arena.web.shared import formatting as formats
from arena.web.shared.formatting import game_title, pool_details
from arena.web.shared.site import age_of
from arena.web.shared.visitor import language_of, theme_of

STATIC = Path(__file__).parents[1] / "static"
_SETTINGS: Final = json.dumps({"includeIndicatorStyles": False, "allowEval": False, "historyCacheSize": 0})
"""Those of htmx: neither inline styles nor evaluated texts, which the policy of the pages forbids."""
POLLS: Final = "x-being-made"
"""Set by the page that waits for another one to be made."""
WAITS: Final = 202
"""The status of that page."""
_YEAR_S = 365 * 24 * 3600


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
        static=static_address,
        mark_of=mark_of,
        bot_link=bot_link,
        sparkline=charts.sparkline,
        interval_bar=charts.interval_bar,
        axis=charts.axis,
        game_title=game_title,
        pool_details=pool_details,
        languages=NAMES,
        columns=columns,
        htmx_settings=_SETTINGS,
        version=version("kingmaker-arena"),
    )
    found.filters.update(formats.FILTERS)
    return found


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


def _text_or_name(known: Words, family: str, name: str) -> str:
    """Return the text for a name of a family that may grow, such as a check of bots; without one the name itself."""
    text_id = f"{family}.{name.replace(' ', '_')}"
    return known.say(text_id) if known.knows(text_id) else name


def send_packed(request: Request, packed: bytes, headers: Mapping[str, str]) -> Response:
    """Return an answer of JSON packed by gzip, unpacked for a client that does not accept gzip."""
    vary = ", ".join(filter(None, (headers.get("vary"), "Accept-Encoding")))
    all_headers = {**headers, "vary": vary}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type="application/json", headers=all_headers | {"content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type="application/json", headers=all_headers)


@cache
def static_address(name: str) -> str:
    """Return where a file of `static/` is served. Raises FileNotFoundError if there is none."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


class HashedStaticFiles(StaticFiles):
    """Serves static files; one asked for by the hash of its content may be cached for a year."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, which may be cached if it was asked for by the hash of its content."""
        response = await super().get_response(path, scope)
        is_named = scope["query_string"].startswith(b"v=") and response.status_code == 200
        response.headers["cache-control"] = f"public, max-age={_YEAR_S}, immutable" if is_named else "no-cache"
        return response
