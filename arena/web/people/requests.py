"""What the pages of people have in common: the tables of the site, forms, and why something may not be done."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import HTTPException, Request
from starlette.responses import JSONResponse, Response

from arena.i18n.catalogue import Words, translate, words
from arena.web.people.errors import NoTableError, PeopleError, SeatTakenError, TakenOverError
from arena.web.people.game_table import GameTable
from arena.web.people.tables import GameTables
from arena.web.shared.preferences import language_of
from arena.web.shared.request_context import site_of

_STATUS: Mapping[type[PeopleError], int] = {NoTableError: 404}


def words_of(request: Request) -> Words:
    """Return the texts of the visitor's language."""
    return words(language_of(request))


def game_tables_of(request: Request) -> GameTables:
    """Return the tables of the site. Raises an error 404 where nobody can sit down, and says why."""
    game_tables: GameTables | None = getattr(request.app.state, "game_tables", None)
    if game_tables is None:
        why = "play.nobody_allowed" if site_of(request).is_live else "play.nobody_plays"
        raise HTTPException(404, words_of(request).say(why))
    return game_tables


def table_of(request: Request, key: str) -> GameTable:
    """Return the table that a key opens. Raises an error 404."""
    try:
        return game_tables_of(request).find(key)
    except (NoTableError, SeatTakenError) as error:
        raise HTTPException(404, error_text(request, error)) from error


async def form_of(request: Request) -> dict[str, str]:
    """Return the texts of a form."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


def wants_page(request: Request) -> bool:
    """Return whether a browser asks that wants a page in answer, and no script."""
    return "text/html" in request.headers.get("accept", "")


def error_text(request: Request, error: PeopleError) -> str:
    """Return in the visitor's language why something may not be done."""
    why = {"why": translate(str(error.values["why"]), language_of(request))} if "why" in error.values else {}
    return words_of(request).say(error.key, **{**error.values, **why}) if error.key else str(error)


def refusal_response(request: Request, error: PeopleError) -> Response:
    """Return the answer to what may not be done: JSON for a script. Raises HTTPException, a page, for a browser."""
    status = _STATUS.get(type(error), 409)
    if wants_page(request):
        raise HTTPException(status, error_text(request, error))
    kind = "taken" if isinstance(error, TakenOverError) else "refused"
    return JSONResponse({"error": error_text(request, error), "kind": kind}, status_code=status)
