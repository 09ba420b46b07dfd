"""Language and colours, chosen by a visitor and kept in a cookie; no script is needed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import NAMES
from arena.web.shared.preferences import LANGUAGE_COOKIE, THEME_COOKIE, THEMES
from arena.web.shared.request_context import site_of

router = APIRouter()
_YEAR_S = 365 * 24 * 3600


@router.post("/preferences")
def choose(
    request: Request,
    back: Annotated[str, Form(max_length=2000)] = "/",
    lang: Annotated[str | None, Form(max_length=10)] = None,
    theme: Annotated[str | None, Form(max_length=10)] = None,
) -> Response:
    """Remember what was chosen, and lead back to where the visitor was."""
    answer = RedirectResponse(_own_path(back), status_code=303)
    chosen = {LANGUAGE_COOKIE: lang if lang in NAMES else None, THEME_COOKIE: theme if theme in THEMES else None}
    is_secure = site_of(request).is_secure
    for name, value in chosen.items():
        if value is not None:
            answer.set_cookie(name, value, max_age=_YEAR_S, httponly=True, samesite="lax", secure=is_secure)
    return answer


def _own_path(path: str) -> str:
    """Return a path of this site, the front page for anything that could lead elsewhere."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_own else "/"
