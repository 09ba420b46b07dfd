"""Bots handed in by a form: the archive is unpacked with care, and sent on as `arena bot submit` sends it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from arena.hosting.archive.errors import BotArchiveError
from arena.hosting.archive.limits import ArchiveLimits
from arena.hosting.errors import HostingError
from arena.i18n.catalogue import words
from arena.rpc.upload import submit
from arena.web.middleware.request_checks import need_own_page
from arena.web.owners.archives import InvalidUploadError
from arena.web.owners.authentication import asking, proven_session, session_of
from arena.web.owners.sessions import OwnerSession
from arena.web.owners.unpacking import unpack_bot
from arena.web.shared.visitor import language_of
from engine.text import Text, placed

_LIMITS = ArchiveLimits()
_LONGEST_MESSAGE = 2000
_FORM_BYTES = 1 << 16
"""What the form has besides the archive."""

router = APIRouter()


def need_room_for(request: Request) -> int:
    """Return how many bytes whoever asks may hand in, before one of them is kept. Raises HTTPException for more."""
    need_own_page(request)
    session = session_of(request)
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise HTTPException(411, Text("web.tell_how_long_upload", "tell how long the upload is"))
    most_bytes = _most_bytes(request, session)
    if int(length) > most_bytes + _FORM_BYTES:
        raise HTTPException(413, words(language_of(request)).say("owner.too_large", megabytes=most_bytes >> 20))
    return most_bytes


def _most_bytes(request: Request, session: OwnerSession) -> int:
    """Return how large an archive an owner may hand in; the organiser has no limit but that of all archives."""
    with asking(request, session.token) as arena:
        identity = arena.account.get_identity()
        most_mb = arena.account.get_usage().limits.archive_mb if identity.owner else 0
    return min(most_mb << 20 or _LIMITS.archive_bytes, _LIMITS.archive_bytes)


@router.post("/account/upload")
async def upload(request: Request) -> Response:
    """Hand in the bot in an archive, and lead to its admission. The form is read by whoever may send one alone."""
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
