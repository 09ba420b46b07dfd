"""Turns errors into pages, or for programs into JSON: the status by their kind, and one sentence with its remedy.

No answer holds a trace of the program. People are told commands, and programs that ask the API addresses.
"""

from __future__ import annotations

import math
import re
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from arena.i18n.catalogue import translate, validation_text, words
from arena.match.replay import ReplayError
from arena.model.errors import ClientError, ErrorKind, kind_of
from arena.story.errors import StoryError
from arena.web.middleware.response_headers import HEADERS
from arena.web.shared.answer_cache import AnswerPendingError
from arena.web.shared.public_message import is_full, public_message
from arena.web.shared.rendering import POLLS, WAITS, render
from arena.web.shared.streams import TooManyStreamsError
from arena.web.shared.visitor import language_of
from arena.web.viewer.stories import TooManyWaitingError
from engine.errors import EngineError
from engine.translatable import placed
from ratings.errors import RatingsError
from ratings.statistics.errors import StatisticsError

_LOG = structlog.get_logger("web")
PREFIX: Final = "/api/v1"
DOCUMENT: Final = f"{PREFIX}/openapi.json"
_LISTS: Final = ("bots", "comparisons", "games", "ladders", "leaderboards", "matches", "tournaments")
"""What can be listed by an address of its name; pools are what leaderboards list."""
_LISTED_ELSEWHERE: Final = {"pools": "leaderboards"}
_COMMAND: Final = re.compile(r"\s*[;:][^;]*?\barena(?: --server NAME)? [a-z]+.*$", re.DOTALL)
"""The part of a sentence, in any language, that tells a command of the command line."""
STATUS: Final[Mapping[ErrorKind, int]] = {
    ErrorKind.MISUSE: 400,
    ErrorKind.NOT_FOUND: 404,
    ErrorKind.DENIED: 403,
    ErrorKind.UNAUTHENTICATED: 403,
    ErrorKind.CONFLICT: 409,
    ErrorKind.FAILED: 409,
    ErrorKind.HIDDEN: 403,
    ErrorKind.LIMIT: 429,
    ErrorKind.FULL: 507,
    ErrorKind.UNAVAILABLE: 503,
    ErrorKind.DAMAGED: 409,
    ErrorKind.ABORTED: 409,
    ErrorKind.INTERNAL: 500,
}
_SHOWN: Final = (
    ClientError,
    EngineError,
    RatingsError,
    StatisticsError,
    ReplayError,
    StoryError,
    TooManyStreamsError,
    TooManyWaitingError,
)
"""The roots of the errors whose sentences are for visitors: what others say may name places on this machine."""
_NO_CALL: Final = (404, 405)
"""What is answered where the API has no such call, by address or by method."""
_API: Final = "/api/"
_FEED: Final = "/feed"


def status_of(error: BaseException) -> int:
    """Return the status that an error means; 500 for one that nobody expected, or that is not for visitors."""
    return STATUS[kind_of(error) if isinstance(error, _SHOWN) else ErrorKind.INTERNAL]


def install_errors(app: FastAPI) -> None:
    """Have every error of the pages answered by a page."""
    app.add_exception_handler(AnswerPendingError, _answer_later)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(ClientDisconnect, _answer_nobody)
    app.add_exception_handler(OSError, _answer_system)
    app.add_exception_handler(Exception, _answer_any)
    for root in _SHOWN:
        app.add_exception_handler(root, _answer_known)


async def _answer_known(request: Request, error: Exception) -> Response:
    if kind_of(error) is ErrorKind.INTERNAL:
        return await _answer_any(request, error)
    sentence = public_message(error)
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
    return error_page(request, STATUS[ErrorKind.FULL], public_message(error))


async def _answer_later(request: Request, error: Exception) -> Response:
    """Answer what is not worked out yet: a page that waits for it, a part of one that does, or when to ask again."""
    assert isinstance(error, AnswerPendingError)
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
    # What answers here stands outside of all middleware.
    return error_page(request, STATUS[ErrorKind.INTERNAL], "", HEADERS)


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


def no_call(language: str) -> str:
    """Return what is said of an address under which there is no call."""
    return words(language).say("error.no_call", address=DOCUMENT)


def for_programs(told: str, path: str, language: str) -> str:
    """Return a sentence with the address that lists what is meant instead of a command; others as they are."""
    what = path.removeprefix(PREFIX).strip("/").partition("/")[0]
    what = _LISTED_ELSEWHERE.get(what, what)
    if what not in _LISTS or not (cut := _COMMAND.sub("", told)) or cut == told:
        return told
    return f"{cut}; {words(language).say('error.lists_all', address=f'{PREFIX}/{what}')}"
