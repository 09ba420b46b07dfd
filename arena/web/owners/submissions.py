"""Bots handed in by a form, as `arena bot submit` sends them, and how each version fares in its checks.

That page is whole without a script; a stream keeps it up to date:

    event: findings   the state and the findings so far, as a part of the page
    event: log        what the build command has said so far, the same way
    event: over       nothing more comes

The id of an event stands for what has been sent, so that a browser that comes back gets what it lacks.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Header, HTTPException, Query, Request
from markupsafe import escape
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from arena.hosting.archive.format import ArchiveLimits, BotArchiveError
from arena.hosting.errors import HostingError
from arena.i18n.catalogue import translate, words
from arena.model.bots import Admission
from arena.model.errors import ClientError, RefusedError, UnknownError
from arena.rpc.errors import LoginError
from arena.rpc.remote_arena import RemoteArena
from arena.rpc.upload import submit
from arena.web.middleware.request_checks import need_own_page
from arena.web.owners.archives import InvalidUploadError, unpack_bot
from arena.web.owners.sessions import NotSignedInError, OwnerSession, asking, private, proven_session, session_of
from arena.web.shared.public_message import public_message
from arena.web.shared.rendering import render
from arena.web.shared.streams import BEGIN, HEARTBEAT, HEARTBEAT_S, EventStream, OpenStreams, event
from arena.web.shared.visitor import language_of
from engine.translatable import Text, placed
from ratings.values.states import AdmissionState

router = APIRouter()
MOST_FOLLOWERS = 200
LOOK_EVERY_S = 0.5
_LIMITS = ArchiveLimits()
_LONGEST_MESSAGE = 2000
_FORM_BYTES = 1 << 16
"""What the form has besides the archive."""
_LOG_CHARACTERS = 16_000
_PARTS = ("findings", "log")
_UNDER_WAY = (AdmissionState.QUEUED, AdmissionState.RUNNING)


def need_room_for(request: Request) -> int:
    """Return how many bytes an owner may hand in, before any is stored. Raises HTTPException if more are announced."""
    need_own_page(request)
    session = session_of(request)
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise HTTPException(411, Text("tell how long the upload is"))
    with asking(request, session.token) as arena:
        identity = arena.account.get_identity()
        most_mb = arena.account.get_usage().limits.archive_mb if identity.owner else 0  # the organiser has no own limit
    most_bytes = min(most_mb << 20 or _LIMITS.archive_bytes, _LIMITS.archive_bytes)
    if int(length) > most_bytes + _FORM_BYTES:
        raise HTTPException(413, words(language_of(request)).say("owner.too_large", megabytes=most_bytes >> 20))
    return most_bytes


@router.post("/account/upload")
async def upload(request: Request) -> Response:
    """Hand in the bot in an archive, and lead to its admission. The form is read only if the sender may hand in."""
    most_bytes = await run_in_threadpool(need_room_for, request)
    async with request.form(max_files=1, max_fields=4) as form:
        session = proven_session(request, str(form.get("proof", "")))
        archive, message = form.get("archive"), str(form.get("message", ""))[:_LONGEST_MESSAGE]
        if not isinstance(archive, UploadFile) or not archive.filename:
            raise HTTPException(400, words(language_of(request)).say("owner.no_archive"))
        version = await run_in_threadpool(_hand_in, request, session, archive, message, most_bytes)
    return RedirectResponse(f"/account/admission?version={quote(version)}", status_code=303)


def _hand_in(request: Request, session: OwnerSession, archive: UploadFile, message: str, most_bytes: int) -> str:
    """Return the version that an archive became. Raises HTTPException for one that cannot be a bot.

    Unpacked it may be no larger than it may be packed: a small file that would fill a disk ends there.
    """
    limits = replace(_LIMITS, total_bytes=min(most_bytes, _LIMITS.total_bytes))
    with tempfile.TemporaryDirectory(prefix="kma-upload-") as directory, asking(request, session.token) as arena:
        try:
            bot = unpack_bot(archive.file, Path(directory), limits)
            submitted = submit(arena, bot, message, lambda _sent, _total: None)
        except (InvalidUploadError, HostingError, BotArchiveError) as error:
            raise HTTPException(400, placed((archive.filename or "")[:100], error)) from error
    return f"{submitted.bot}@{submitted.content_hash}"


@dataclass(frozen=True, slots=True)
class AdmissionView:
    """How an admission stands."""

    admission: Admission
    log: str
    """The end of what its build command has said."""

    @property
    def is_over(self) -> bool:
        """Return whether the admission is final."""
        return self.admission.state not in _UNDER_WAY


@router.get("/account/admission")
def show_admission(request: Request, version: Annotated[str, Query(max_length=300)]) -> Response:
    """Show how a version fares in its checks."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        seen = _look(arena, version)
    return private(render(request, "owners/admission.html", session=session, seen=seen, named=version))


@router.get("/account/admission/live")
async def follow_admission(
    request: Request,
    version: Annotated[str, Query(max_length=300)],
    last_event_id: Annotated[str, Header(max_length=100)] = "",
) -> Response:
    """Send what becomes of a version, until its checks are over."""
    session_of(request)
    followers: OpenStreams = request.app.state.followers
    followers.need_room()
    return EventStream(_events(request, followers, version, last_event_id))


async def _events(request: Request, followers: OpenStreams, version: str, place: str) -> AsyncGenerator[bytes, None]:
    """Yield the parts of the page that differ from those that the browser has, until nothing changes any more."""
    yield BEGIN
    marks = place.split(".")
    known = dict(zip(_PARTS, marks if len(marks) == len(_PARTS) else [""] * len(_PARTS), strict=True))
    quiet_s = 0.0
    with followers.counted(), asking(request, session_of(request).token) as arena:
        while True:
            parts, is_over = await run_in_threadpool(_parts, request, arena, version)
            for kind, text in parts.items():
                mark = hashlib.sha256(text.encode()).hexdigest()[:12]
                if mark != known[kind]:
                    known[kind], quiet_s = mark, 0.0
                    yield event(kind, text, ".".join(known.values()))
            if is_over:
                yield event("over", "over")
            if is_over or not await followers.rest(LOOK_EVERY_S):
                return
            quiet_s += LOOK_EVERY_S
            if quiet_s >= HEARTBEAT_S:
                quiet_s = 0.0
                yield HEARTBEAT


def _parts(request: Request, arena: RemoteArena, version: str) -> tuple[dict[str, str], bool]:
    """Return the parts of the page as they are now, and whether they are final; an error takes their place."""
    try:
        session_of(request)
        seen = _look(arena, version)
    except (NotSignedInError, LoginError):
        sentence, is_over = words(language_of(request)).say("owner.ended"), True
    except ClientError as error:
        sentence, is_over = translate(public_message(error), language_of(request)), isinstance(error, RefusedError)
    else:
        pages = {part: render(request, f"owners/{part}.html", seen=seen, named=version) for part in _PARTS}
        return {part: bytes(page.body).decode() for part, page in pages.items()}, seen.is_over
    return {"findings": f'<p class="sentence" role="alert">{escape(sentence)}</p>'}, is_over


def _look(arena: RemoteArena, version: str) -> AdmissionView:
    admission = arena.admissions.get_admission(version)
    try:
        log = arena.bots.get_build_log(version).text
    except UnknownError:  # it was not built yet, or needs no building
        log = ""
    return AdmissionView(admission, log[-_LOG_CHARACTERS:])
