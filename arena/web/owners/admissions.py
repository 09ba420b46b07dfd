"""How a version fares in its checks: a page that is whole without a script, and a stream that keeps it up to date.

    event: findings   the state and the findings so far, as a part of the page
    event: log        what the build command has said so far, the same way
    event: over       nothing more comes

The id of an event stands for what has been sent, so that a browser that comes back gets what it lacks.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from markupsafe import escape
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from arena.i18n.catalogue import translate, words
from arena.model.bots import Admission
from arena.model.errors import ClientError, RefusedError, UnknownError
from arena.rpc.errors import LoginError
from arena.rpc.remote import RemoteArena
from arena.web.owners.authentication import NotSignedInError, asking, private, session_of
from arena.web.redaction.public_message import public_message
from arena.web.shared.preferences import language_of
from arena.web.shared.rendering import render
from arena.web.shared.streams import BEGIN, HEARTBEAT, HEARTBEAT_S, EventStream, OpenStreams, event
from ratings.values.states import AdmissionState

MOST_FOLLOWERS = 200
LOOK_EVERY_S = 0.5
_LOG_CHARACTERS = 16_000
_PARTS = ("findings", "log")
_UNDER_WAY = (AdmissionState.QUEUED, AdmissionState.RUNNING)

router = APIRouter()


@dataclass(frozen=True, slots=True)
class AdmissionView:
    """How an admission stands."""

    admission: Admission
    log: str
    """The end of what its build command has said."""

    @property
    def is_over(self) -> bool:
        """Return whether nothing of it changes any more."""
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
    known, quiet_s = _marks_of(place), 0.0
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


def _marks_of(place: str) -> dict[str, str]:
    """Return what a browser has, as the id of the last event says that it was sent."""
    marks = place.split(".")
    return dict(zip(_PARTS, marks if len(marks) == len(_PARTS) else [""] * len(_PARTS), strict=True))


def _parts(request: Request, arena: RemoteArena, version: str) -> tuple[dict[str, str], bool]:
    """Return the parts of the page as they are now, and whether they stay so; a trouble stands in their place."""
    try:
        session_of(request)
        seen = _look(arena, version)
    except (NotSignedInError, LoginError):
        return _trouble(words(language_of(request)).say("owner.ended")), True
    except RefusedError as error:
        return _trouble(translate(public_message(error), language_of(request))), True
    except ClientError as error:
        return _trouble(translate(public_message(error), language_of(request))), False
    return {part: _rendered(request, f"owners/{part}.html", seen, version) for part in _PARTS}, seen.is_over


def _trouble(sentence: str) -> dict[str, str]:
    return {"findings": f'<p class="sentence" role="alert">{escape(sentence)}</p>'}


def _rendered(request: Request, template: str, seen: AdmissionView, version: str) -> str:
    return bytes(render(request, template, seen=seen, named=version).body).decode()


def _look(arena: RemoteArena, version: str) -> AdmissionView:
    admission = arena.admissions.get_admission(version)
    try:
        log = arena.bots.get_build_log(version).text
    except UnknownError:  # it was not built yet, or needs no building
        log = ""
    return AdmissionView(admission, log[-_LOG_CHARACTERS:])
