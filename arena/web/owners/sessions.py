"""Owners who have signed in: the page where they do, their sessions, and the service that is asked for each.

A session is a token, found by a random number that a cookie holds, in the memory of this process alone.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import words
from arena.model.errors import ClientError
from arena.rpc.channel import Endpoint
from arena.rpc.errors import LoginError
from arena.rpc.login import open_line
from arena.rpc.remote_arena import Behalf, RemoteArena
from arena.web.middleware.errors import status_of
from arena.web.middleware.request_checks import need_own_page
from arena.web.shared.public_message import public_message
from arena.web.shared.rendering import render
from arena.web.shared.site import site_of
from arena.web.shared.visitor import address_of, language_of
from engine.translatable import Text

router = APIRouter()
COOKIE = "session"
LIVES_S = 12 * 3600.0
MOST = 10_000
"""Of more sessions those that were opened first are forgotten."""


@router.get("/login")
def login_page(request: Request, ended: bool = False) -> Response:
    """Show the page to sign in; it says so if the token is no longer valid."""
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
        # A text that cannot be sent is replaced by its hash, which is no token, so that it counts as an attempt.
        is_plain = token.isascii() and token.isprintable()
        sent = token if is_plain else hashlib.sha256(token.encode(errors="replace")).hexdigest()
        with asking(request, sent) as arena:
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
    """End the session."""
    session = proven_session(request, proof)
    sessions_of(request).close(session.key)
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(COOKIE)
    return answer


def _form(request: Request, status: int, sentence: str) -> Response:
    return private(render(request, "owners/login.html", status=status, sentence=sentence))


@dataclass(frozen=True, slots=True)
class OwnerSession:
    """Somebody who has signed in."""

    key: str = field(repr=False)
    token: str = field(repr=False)
    who: str
    """The owner, or the name of the token of an organiser."""
    proof: str = field(repr=False)
    """What every form holds: another site cannot know it, and so cannot send one."""
    ends_s: float

    def is_proof(self, text: str) -> bool:
        """Return whether a form came from a page of this session."""
        return hmac.compare_digest(text.encode(errors="replace"), self.proof.encode())


class SessionStore:
    """The sessions of a site. Safe for threads: each step is one operation of a dictionary."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: OrderedDict[str, OwnerSession] = OrderedDict()

    def open(self, token: str, who: str) -> OwnerSession:
        """Return a new session."""
        key, proof = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
        session = self._found[key] = OwnerSession(key, token, who, proof, self._clock() + LIVES_S)
        while len(self._found) > MOST:
            self._found.popitem(last=False)
        return session

    def find(self, key: str | None) -> OwnerSession | None:
        """Return the session of a cookie, or `None` if there is none or it has ended."""
        found = self._found.get(key or "")
        if found is not None and found.ends_s < self._clock():
            self.close(found.key)
            return None
        return found

    def close(self, key: str) -> None:
        """Forget a session."""
        self._found.pop(key, None)


class NotSignedInError(Exception):
    """The page is for those who have signed in."""


def sessions_of(request: Request) -> SessionStore:
    """Return the sessions of the site. Raises HTTPException where there is no service."""
    if not site_of(request).is_live:
        raise HTTPException(404, Text("these pages show a database; one signs in where a service plays"))
    found: SessionStore = request.app.state.sessions
    return found


def session_of(request: Request) -> OwnerSession:
    """Return the session of whoever asks. Raises NotSignedInError."""
    found = sessions_of(request).find(request.cookies.get(COOKIE))
    if found is None:
        raise NotSignedInError
    return found


def proven_session(request: Request, proof: str) -> OwnerSession:
    """Return the session of a form that one of our own pages sent. Raises HTTPException, NotSignedInError."""
    need_own_page(request)
    session = session_of(request)
    if not session.is_proof(proof):
        raise HTTPException(403, words(language_of(request)).say("owner.stale"))
    return session


def need_sure(request: Request, sure: str) -> None:
    """Raise HTTPException unless an action that cannot be undone was confirmed."""
    if sure != "yes":
        raise HTTPException(400, words(language_of(request)).say("owner.not_sure"))


@contextmanager
def asking(request: Request, token: str) -> Iterator[RemoteArena]:
    """Open the service with a token, on behalf of the address of whoever asks."""
    service = site_of(request).service
    assert service is not None
    with open_line(Endpoint(service), token, Behalf(address_of(request) or "unknown")) as line:
        yield RemoteArena(line)


def private(answer: Response) -> Response:
    """Return the answer with a header that keeps it out of every cache."""
    answer.headers["cache-control"] = "no-store"
    return answer


async def answer_strangers(request: Request, error: Exception) -> Response:
    """Redirect to the login a visitor who has not signed in, or whose token is no longer valid."""
    if not isinstance(error, LoginError):
        return RedirectResponse("/login", status_code=303)
    request.app.state.sessions.close(request.cookies.get(COOKIE, ""))
    return RedirectResponse("/login?ended=1", status_code=303)
