"""What the pages of people have in common: the tables of the site, forms, and why something may not be done."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import HTTPException, Request
from starlette.responses import JSONResponse, Response

from arena.i18n.catalogue import Words, words
from arena.i18n.translation import translate
from arena.web.frame.asking import site_of
from arena.web.frame.choices import language_of
from arena.web.people.errors import NoTableError, PeopleError, SeatTakenError, TakenOverError
from arena.web.people.hall import Hall
from arena.web.people.table import Table

_STATUS: Mapping[type[PeopleError], int] = {NoTableError: 404}


def words_of(request: Request) -> Words:
    """Return the texts of the visitor's language."""
    return words(language_of(request))


def hall_of(request: Request) -> Hall:
    """Return the tables of the site. Raises an error 404 where nobody can sit down, and says why."""
    hall: Hall | None = getattr(request.app.state, "hall", None)
    if hall is None:
        why = "play.nobody_allowed" if site_of(request).is_live else "play.nobody_plays"
        raise HTTPException(404, words_of(request).say(why))
    return hall


def table_of(request: Request, key: str) -> Table:
    """Return the table that a key opens. Raises an error 404."""
    try:
        return hall_of(request).find(key)
    except (NoTableError, SeatTakenError) as error:
        raise HTTPException(404, told(request, error)) from error


async def form_of(request: Request) -> dict[str, str]:
    """Return the texts of a form."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


def wants_page(request: Request) -> bool:
    """Return whether a browser asks that wants a page in answer, and no script."""
    return "text/html" in request.headers.get("accept", "")


def told(request: Request, error: PeopleError) -> str:
    """Return in the visitor's language why something may not be done."""
    why = {"why": translate(str(error.values["why"]), language_of(request))} if "why" in error.values else {}
    return words_of(request).say(error.key, **{**error.values, **why}) if error.key else str(error)


def refused(request: Request, error: PeopleError) -> Response:
    """Return the answer to what may not be done: JSON for a script. Raises HTTPException, a page, for a browser."""
    status = _STATUS.get(type(error), 409)
    if wants_page(request):
        raise HTTPException(status, told(request, error))
    kind = "taken" if isinstance(error, TakenOverError) else "refused"
    return JSONResponse({"error": told(request, error), "kind": kind}, status_code=status)
