"""Signing in with a token, and out again."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import words
from arena.model.errors import ClientError
from arena.web.middleware.errors import status_of
from arena.web.middleware.request_checks import need_own_page
from arena.web.owners.authentication import COOKIE, asking, private, proven_session, sessions_of
from arena.web.owners.sessions import LIVES_S
from arena.web.shared.public_message import public_message
from arena.web.shared.rendering import render
from arena.web.shared.site import site_of
from arena.web.shared.visitor import language_of

router = APIRouter()


@router.get("/login")
def login_page(request: Request, ended: bool = False) -> Response:
    """Show where one signs in; it says why if a token is worth nothing any more."""
    sessions_of(request)
    return _form(request, 200, words(language_of(request)).say("owner.ended") if ended else "")


@router.post("/login")
def sign_in(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Open a session for a token that the service knows."""
    need_own_page(request)
    sessions, token = sessions_of(request), token.strip()
    if not token:
        return _form(request, 400, words(language_of(request)).say("owner.no_token"))
    try:
        with asking(request, _sendable(token)) as arena:
            identity = arena.account.get_identity()
    except ClientError as error:
        return _form(request, status_of(error), public_message(error))
    sessions.close(request.cookies.get(COOKIE, ""))
    session = sessions.open(token, identity.owner or identity.token or "")
    answer = RedirectResponse("/account", status_code=303)
    is_secure = site_of(request).is_secure or request.url.scheme == "https"
    answer.set_cookie(COOKIE, session.key, max_age=int(LIVES_S), httponly=True, samesite="lax", secure=is_secure)
    return answer


@router.post("/logout")
def sign_out(request: Request, proof: Annotated[str, Form(max_length=100)] = "") -> Response:
    """Forget the session."""
    session = proven_session(request, proof)
    sessions_of(request).close(session.key)
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(COOKIE)
    return answer


def _sendable(token: str) -> str:
    """Return a token, or for a text that cannot be sent as one another that is none, either: it counts as a trial."""
    is_plain = token.isascii() and token.isprintable()
    return token if is_plain else hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _form(request: Request, status: int, sentence: str) -> Response:
    return private(render(request, "owners/login.html", status=status, sentence=sentence))
