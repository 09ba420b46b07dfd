"""Who asks on an owner's page: his session, the proof that a form is of it, and the service that is asked for him."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import HTTPException, Request
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import words
from arena.rpc.channel import Endpoint
from arena.rpc.errors import LoginError
from arena.rpc.login import open_line
from arena.rpc.remote import Behalf, RemoteArena
from arena.web.middleware.request_checks import need_own_page
from arena.web.owners.sessions import OwnerSession, SessionStore
from arena.web.shared.site import site_of
from arena.web.shared.visitor import address_of, language_of
from engine.text import Text

COOKIE = "session"


class NotSignedInError(Exception):
    """The page is for those who have signed in."""


def sessions_of(request: Request) -> SessionStore:
    """Return who has signed in. Raises HTTPException where there is no service."""
    if not site_of(request).is_live:
        raise HTTPException(
            404,
            Text(
                "web.these_pages_show_database_one", "these pages show a database; one signs in where a service plays"
            ),
        )
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
    """Raise HTTPException unless somebody has said that he is sure of what cannot be undone."""
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
    """Return an answer that no browser and no proxy keeps."""
    answer.headers["cache-control"] = "no-store"
    return answer


async def answer_strangers(request: Request, error: Exception) -> Response:
    """Lead whoever has not signed in, or whose token is worth nothing any more, to where one signs in."""
    if not isinstance(error, LoginError):
        return RedirectResponse("/login", status_code=303)
    request.app.state.sessions.close(request.cookies.get(COOKIE, ""))
    return RedirectResponse("/login?ended=1", status_code=303)
