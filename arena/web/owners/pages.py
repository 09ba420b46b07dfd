"""The pages of owners. Everything is asked of the service with the owner's own token: it decides what he may do."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from arena.client.errors import ClientError
from arena.client.there.channel import Endpoint
from arena.client.there.connect import open_line
from arena.client.there.errors import LoginError
from arena.client.there.remote import ArenaThere, Behalf
from arena.client.there.submitting import submit
from arena.client.values.page import MOST_LIMIT
from arena.hosting.archive.errors import ArchiveError
from arena.hosting.archive.limits import ArchiveLimits
from arena.hosting.errors import HostingError
from arena.web.frame.asking import arena_of, site_of
from arena.web.frame.choices import language_of
from arena.web.frame.rendering import render
from arena.web.guarding.origins import need_own_page
from arena.web.owners.sessions import LIVES_S, Session, Sessions
from arena.web.owners.unpacking import UploadError, unpack_bot
from arena.web.people.visitors import address_of
from arena.words.catalogue import words

COOKIE = "session"
_LIMITS = ArchiveLimits()
_SHOWN = 50


class NotSignedInError(Exception):
    """The page is for those who have signed in."""


def sessions_of(request: Request) -> Sessions:
    """Return who has signed in. Raises HTTPException where there is no service."""
    if not site_of(request).is_live:
        raise HTTPException(404, "these pages show a database; one signs in where a service plays")
    found: Sessions = request.app.state.sessions
    return found


def session_of(request: Request) -> Session:
    """Return the session of whoever asks. Raises NotSignedInError."""
    found = sessions_of(request).find(request.cookies.get(COOKIE))
    if found is None:
        raise NotSignedInError
    return found


def need_room_for(request: Request) -> None:
    """Refuse what is larger than any archive before a byte of it is kept. Raises HTTPException."""
    need_own_page(request)
    session_of(request)
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise HTTPException(411, "tell how long the upload is")
    if int(length) > _LIMITS.archive_bytes:
        raise HTTPException(
            413, f"no archive may have over {_LIMITS.archive_bytes >> 20} MB; leave out what the bot does not need"
        )


@contextmanager
def asking(request: Request, token: str) -> Iterator[ArenaThere]:
    """Open the service with a token, on behalf of the address of whoever asks."""
    service = site_of(request).service
    assert service is not None
    with open_line(Endpoint(service), token, Behalf(address_of(request) or "unknown")) as line:
        yield ArenaThere(line)


router = APIRouter()


@router.get("/login")
def login_page(request: Request) -> Response:
    """Show where one signs in."""
    sessions_of(request)
    return render(request, "owners/login.html", sentence="")


@router.post("/login")
def sign_in(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Open a session for a token that the service knows."""
    need_own_page(request)
    sessions, token = sessions_of(request), token.strip()
    if not token:
        return render(
            request, "owners/login.html", status=400, sentence=words(language_of(request)).say("owner.no_token")
        )
    try:
        with asking(request, token) as arena:
            identity = arena.account.get_identity()
    except ClientError as error:
        return render(request, "owners/login.html", status=403, sentence=str(error))
    session = sessions.open(token, identity.owner or identity.token or "")
    answer = RedirectResponse("/account", status_code=303)
    is_secure = site_of(request).is_secure or request.url.scheme == "https"
    answer.set_cookie(COOKIE, session.key, max_age=int(LIVES_S), httponly=True, samesite="lax", secure=is_secure)
    return answer


@router.post("/logout")
def sign_out(request: Request, proof: Annotated[str, Form(max_length=100)] = "") -> Response:
    """Forget the session."""
    session = _proven(request, proof)
    sessions_of(request).close(session.key)
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(COOKIE)
    return answer


@router.get("/account")
def account(request: Request) -> Response:
    """Show what an owner has, and what he was told."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        identity = arena.account.get_identity()
        values: dict[str, Any] = {
            "identity": identity,
            "usage": arena.account.get_usage() if identity.owner else None,
            "bots": [arena.bots.get_bot(name) for name in _bots_of(request, identity.owner)],
            "admissions": arena.admissions.list_admissions(limit=10).items,
            "notices": arena.account.list_notices(limit=10).items,
        }
    return _private(render(request, "owners/account.html", session=session, **values))


def _bots_of(request: Request, owner: str | None) -> list[str]:
    """Return the names of the bots of an owner, of the operator for None; of very many the first."""
    found = arena_of(request).overview.search_bots("" if owner is None else f"{owner}/", limit=MOST_LIMIT)
    return [bot.name for bot in found.items if bot.owner == owner][:_SHOWN]


@router.post("/account/upload")
async def upload(request: Request) -> Response:
    """Hand in the bot in an archive, and lead to its admission. The form is read by whoever may send one alone."""
    need_room_for(request)
    async with request.form(max_files=1, max_fields=4) as form:
        session = _proven(request, str(form.get("proof", "")))
        archive, message = form.get("archive"), str(form.get("message", ""))[:2000]
        if not isinstance(archive, UploadFile) or not archive.filename:
            raise HTTPException(400, words(language_of(request)).say("owner.no_archive"))
        version = await run_in_threadpool(_hand_in, request, session, archive, message)
    return RedirectResponse(f"/account/admission?version={quote(version)}", status_code=303)


def _hand_in(request: Request, session: Session, archive: UploadFile, message: str) -> str:
    """Return the version that an archive became. Raises HTTPException for one that cannot be a bot."""
    with tempfile.TemporaryDirectory(prefix="kma-upload-") as directory, asking(request, session.token) as arena:
        try:
            bot = unpack_bot(archive.file, Path(directory), _LIMITS)
            submitted = submit(arena, bot, message, lambda _sent, _total: None)
        except (UploadError, HostingError, ArchiveError) as error:
            raise HTTPException(400, f"{(archive.filename or '')[:100]}: {error}") from error
    return f"{submitted.bot}@{submitted.content_hash}"


@router.get("/account/admission")
def admission(request: Request, version: str) -> Response:
    """Show how a version fares in its checks; the page asks again while they go on."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        found = arena.admissions.get_admission(version)
    part = "owners/findings.html" if "hx-request" in request.headers else "owners/admission.html"
    return _private(render(request, part, session=session, admission=found, version=version))


@router.get("/account/bot")
def one_bot(request: Request, name: str) -> Response:
    """Show the versions of a bot, and what happened to it."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        values: dict[str, Any] = {
            "bot": arena.bots.get_bot(name),
            "versions": arena.bots.list_versions(name, limit=_SHOWN).items,
            "events": arena.bots.list_events(name, limit=20).items,
        }
    return _private(render(request, "owners/bot.html", session=session, **values))


@router.get("/account/build")
def build_log(request: Request, version: str) -> Response:
    """Show what the build command of a version said."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        found = arena.bots.get_build_log(version)
    return _text(request, session, version, [("", found.text)])


@router.get("/account/logs")
def logs(request: Request, match: str) -> Response:
    """Show what the bots of an owner wrote in a match."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        found = arena.matches.get_logs(match)
    return _text(request, session, match, [(log.bot, log.text) for log in found])


@router.post("/account/change")
def change(
    request: Request,
    name: Annotated[str, Form(max_length=300)],
    what: Annotated[str, Form(max_length=20)],
    proof: Annotated[str, Form(max_length=100)] = "",
    sure: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """Promote or withdraw a version (`bot@hash`), or roll a bot back, if its owner is sure."""
    session = _proven(request, proof)
    if sure != "yes":
        raise HTTPException(400, words(language_of(request)).say("owner.not_sure"))
    with asking(request, session.token) as arena:
        acts = {
            "promote": arena.bots.promote_version,
            "withdraw": arena.bots.withdraw_version,
            "roll_back": arena.bots.roll_back,
        }
        if what not in acts:
            raise HTTPException(400, "promote, withdraw or roll_back")
        bot = acts[what](name)
    return RedirectResponse(f"/account/bot?name={quote(bot.name)}", status_code=303)


def _proven(request: Request, proof: str) -> Session:
    """Return the session of a form that one of our own pages sent. Raises HTTPException, NotSignedInError."""
    need_own_page(request)
    session = session_of(request)
    if not session.is_proof(proof):
        raise HTTPException(403, words(language_of(request)).say("owner.stale"))
    return session


def _text(request: Request, session: Session, title: str, parts: list[tuple[str, str]]) -> Response:
    return _private(render(request, "owners/text.html", session=session, title=title, parts=parts))


def _private(answer: Response) -> Response:
    answer.headers["cache-control"] = "no-store"
    return answer


async def answer_strangers(request: Request, error: Exception) -> Response:
    """Lead whoever has not signed in, or whose token is worth nothing any more, to where one signs in."""
    if isinstance(error, LoginError):
        request.app.state.sessions.close(request.cookies.get(COOKIE, ""))
    return RedirectResponse("/login", status_code=303)
