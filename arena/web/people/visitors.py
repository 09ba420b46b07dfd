"""By what a browser is known that has no login: a cookie with a number that nobody can guess."""

from __future__ import annotations

import re
import secrets

from fastapi import Request
from starlette.responses import Response

from arena.web.shared.request_context import site_of

_COOKIE = "visitor"
_KEY = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
_MONTH_S = 30 * 24 * 3600


def visitor_of(request: Request) -> str:
    """Return by what the visitor is known, or something new for one who comes for the first time."""
    known = request.cookies.get(_COOKIE, "")
    return known if _KEY.fullmatch(known) else secrets.token_urlsafe(16)


def remember(request: Request, answer: Response, visitor: str) -> Response:
    """Return the answer, by which the browser will be known again."""
    is_secure = site_of(request).is_secure
    answer.set_cookie(_COOKIE, visitor, max_age=_MONTH_S, httponly=True, samesite="lax", secure=is_secure)
    return answer


def address_of(request: Request) -> str:
    """Return the address that a request comes from."""
    return request.client.host if request.client else ""
