"""What the pages know of a visitor: language and colours, the cookie by which a browser is recognised, its address."""

from __future__ import annotations

import re
import secrets
from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import NAMES, best_language
from arena.web.shared.site import site_of

router = APIRouter()
LANGUAGE_COOKIE: Final = "lang"
THEME_COOKIE: Final = "theme"
THEMES: Final = ("auto", "light", "dark")
_COOKIE = "visitor"
_KEY = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
_YEAR_S = 365 * 24 * 3600
_MONTH_S = 30 * 24 * 3600


def language_of(request: Request) -> str:
    """Return the language of a page: of its address (`?lang=de`), else that chosen before, else the browser's."""
    for chosen in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if chosen is not None and chosen in NAMES:
            return chosen
    return best_language(request.headers.get("accept-language", ""))


def theme_of(request: Request) -> str:
    """Return `light`, `dark`, or `auto` for what the visitor's system shows."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else THEMES[0]


@router.post("/preferences")
def choose(
    request: Request,
    back: Annotated[str, Form(max_length=2000)] = "/",
    lang: Annotated[str | None, Form(max_length=10)] = None,
    theme: Annotated[str | None, Form(max_length=10)] = None,
) -> Response:
    """Keep the chosen language or colours in a cookie, and lead back to the page the visitor was on."""
    is_own = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    answer = RedirectResponse(back if is_own else "/", status_code=303)  # no page of ours leads elsewhere
    chosen = {LANGUAGE_COOKIE: lang if lang in NAMES else None, THEME_COOKIE: theme if theme in THEMES else None}
    is_secure = site_of(request).is_secure
    for name, value in chosen.items():
        if value is not None:
            answer.set_cookie(name, value, max_age=_YEAR_S, httponly=True, samesite="lax", secure=is_secure)
    return answer


def visitor_of(request: Request) -> str:
    """Return the number by which a visitor's browser is recognised; a new one for a browser without the cookie."""
    known = request.cookies.get(_COOKIE, "")
    return known if _KEY.fullmatch(known) else secrets.token_urlsafe(16)


def remember(request: Request, answer: Response, visitor: str) -> Response:
    """Return the answer with the cookie by which the browser will be recognised."""
    is_secure = site_of(request).is_secure
    answer.set_cookie(_COOKIE, visitor, max_age=_MONTH_S, httponly=True, samesite="lax", secure=is_secure)
    return answer


def address_of(request: Request) -> str:
    """Return the address that a request comes from."""
    return request.client.host if request.client else ""
