"""Turns errors into pages: the status by one table, one sentence with its remedy, never a trace of the program."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from importlib import import_module
from typing import Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from arena.i18n.translation import translate
from arena.i18n.validation import validation_text
from arena.web.frame.answers import BeingMadeError
from arena.web.frame.choices import language_of
from arena.web.frame.rendering import POLLS, WAITS, render
from arena.web.guarding.headers import HEADERS
from arena.web.guarding.remedies import for_programs, no_call
from arena.web.strangers.sentences import is_full, sentence_of
from engine.text import placed

_LOG = structlog.get_logger("web")

# Written as names, so that the table imports nothing. The class nearest to the exception's own counts.
STATUS: Final[Mapping[str, int]] = {
    "arena.model.errors.UnknownError": 404,
    "arena.model.errors.ForbiddenError": 403,
    "arena.model.errors.RefusedError": 400,
    "arena.model.errors.HiddenError": 403,
    "arena.model.errors.ClientError": 409,
    "arena.rpc.errors.BusyError": 429,
    "arena.rpc.errors.DiskFullError": 507,
    "arena.rpc.errors.LoginError": 403,
    "arena.rpc.errors.ServiceError": 503,
    "arena.rpc.errors.UnavailableError": 503,
    "arena.rpc.errors.UnreachableError": 503,
    "arena.match.replay.ReplayError": 409,
    "arena.story.facts.StoryError": 409,
    "arena.web.frame.streams.FullError": 503,
    "arena.web.viewing.gate.BusyError": 503,
    "engine.errors.UnknownGameError": 404,
    "engine.errors.EngineError": 400,
    "ratings.errors.NotFoundError": 404,
    "ratings.errors.AmbiguousError": 404,
    "ratings.errors.PageError": 400,
    "ratings.errors.PlanError": 400,
    "ratings.errors.LimitError": 429,
    "ratings.errors.AccountError": 400,
    "ratings.errors.AccessDeniedError": 403,
    "ratings.errors.DatabaseError": 503,
    "ratings.errors.DatabaseFullError": 507,
    "ratings.errors.RatingsError": 409,
    "ratings.statistics.errors.StatisticsError": 409,
}
_OWN_FAULT: Final = 500
_NO_ROOM: Final = 507
_NO_CALL: Final = (404, 405)
"""What is answered where the API has no such call, by address or by method."""
_API: Final = "/api/"
_FEED: Final = "/feed"


def status_of(error: BaseException) -> int:
    """Return the status that an error means; 500 for one that nobody expected."""
    for kind in type(error).__mro__:
        if (status := STATUS.get(f"{kind.__module__}.{kind.__qualname__}")) is not None:
            return status
    return _OWN_FAULT


def install_errors(app: FastAPI) -> None:
    """Have every error of the pages answered by a page."""
    app.add_exception_handler(BeingMadeError, _answer_later)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(ClientDisconnect, _answer_nobody)
    app.add_exception_handler(OSError, _answer_system)
    app.add_exception_handler(Exception, _answer_any)
    for path in STATUS:
        module, _, name = path.rpartition(".")
        app.add_exception_handler(_load(module, name), _answer_known)


def _load(module: str, name: str) -> type[Exception]:
    found: type[Exception] = getattr(import_module(module), name)
    return found


async def _answer_known(request: Request, error: Exception) -> Response:
    sentence = sentence_of(error)
    if sentence != str(error):  # where something lies, and what ails it, is the organiser's business
        _LOG.warning("a page cannot be shown", why=str(error))
    return error_page(request, status_of(error), sentence)


async def _answer_nobody(_request: Request, _error: Exception) -> Response:
    """Answer a browser that left in the middle of what it sent, and so reads nothing."""
    return Response(status_code=400)


async def _answer_system(request: Request, error: Exception) -> Response:
    if not is_full(error):
        return await _answer_any(request, error)
    _LOG.warning("the disk is full", why=str(error))
    return error_page(request, _NO_ROOM, sentence_of(error))


async def _answer_later(request: Request, error: Exception) -> Response:
    """Answer what is not worked out yet: a page that waits for it, a part of one that does, or when to ask again."""
    assert isinstance(error, BeingMadeError)
    if not _is_page(request.url.path):
        return error_page(request, 503, str(error), {"retry-after": str(math.ceil(error.again_s))})
    if "seen" in request.query_params:
        return Response(status_code=204)  # it shows what was there before, and asks again by itself
    is_part = "hx-request" in request.headers
    return render(
        request,
        "waiting/part.html" if is_part else "waiting/page.html",
        status=WAITS,
        headers={"cache-control": "no-store"},
        asked=request.url.path + ("?" + request.url.query if request.url.query else ""),
        is_page=not is_part or POLLS in request.headers,
        again_ms=round(1000 * error.again_s),
        polls=f'{{"{POLLS}": "yes"}}',
    )


def _is_page(path: str) -> bool:
    return not path.startswith((_API, _FEED))


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = "" if error.detail == _standard_phrase(error.status_code) else str(error.detail)
    return error_page(request, error.status_code, detail, error.headers)


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:])
    return error_page(request, 400, placed(place, validation_text(first)))


async def _answer_any(request: Request, error: Exception) -> Response:
    _LOG.error("a page failed", path=request.url.path, error="".join(traceback.format_exception(error)))
    return error_page(request, _OWN_FAULT, "", HEADERS)  # what answers here stands outside of all middleware


def error_page(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the page that tells what went wrong; without a sentence it says what the status means.

    A program that asks the API is told so in JSON. Both are in the language that is asked for.
    """
    language = language_of(request)
    told = translate(sentence, language)
    if request.url.path.startswith(_API):
        is_unknown = not told and status in _NO_CALL
        message = no_call(language) if is_unknown else for_programs(told, request.url.path, language)
        answer = {"error": {"status": status, "message": message or _standard_phrase(status)}}
        spoken = {"vary": "Accept-Language, Cookie", "content-language": language, **(headers or {})}
        return JSONResponse(answer, status, spoken, media_type="application/problem+json")
    return render(request, "error.html", status=status, headers=headers, sentence=told)


def _standard_phrase(status: int) -> str:
    return HTTPStatus(status).phrase
