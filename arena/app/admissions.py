"""The admissions of a database and the uploads before them: an owner sees his own, an organiser all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

from arena.app.lookup import find_version
from arena.app.policy import AppContext, Viewer, need_competitor, need_own_bot
from arena.hosting.uploads.errors import UploadMissingError
from arena.model.bots import Admission, Finding, FindingState
from arena.model.errors import ForbiddenError, UnknownError
from arena.model.operations import Operation, OperationKind, OperationState
from engine.translatable import Text, text_from_json
from ratings.errors import NotFoundError
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read import admissions
from ratings.store.service import AdmissionRow
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import AdmissionState, Scope

ADMISSIONS = "admissions/"
"""What the id of an operation begins with that is an admission."""

_LOOK_EVERY_S = 0.5
_UNDER_WAY = (AdmissionState.QUEUED, AdmissionState.RUNNING)
_STATES = {
    AdmissionState.QUEUED: OperationState.QUEUED,
    AdmissionState.RUNNING: OperationState.RUNNING,
    AdmissionState.ADMITTED: OperationState.DONE,
    AdmissionState.REFUSED: OperationState.FAILED,
    AdmissionState.WITHDRAWN: OperationState.CANCELLED,
}
UPLOADS = "uploads/"
"""What the id of an operation begins with that is an upload."""
_SECOND_US = 1_000_000


class LocalAdmissions:
    """Implements the interface `arena.model.port.Admissions`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_admissions(
        self, state: AdmissionState | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Admission]:
        viewer = self._context.viewer
        need_competitor(viewer, "see admissions")
        owner_id = None if viewer.is_organiser else viewer.owner_id or ""
        page = admissions.list_admissions(
            self._context.database, owner_id=owner_id, state=state, limit=limit, after=after
        )
        return Page(tuple(map(_admission, page.items)), page.next)

    def get_admission(self, admission: str) -> Admission:
        return _admission(_find(self._context, admission))

    def request_admission(self, text: str) -> Admission:
        found = find_version(self._context, text)
        need_own_bot(self._context.viewer, found.bot, Text("have it admitted"))
        asked = ServiceLedger(self._context.database).request_admission(found.version.id)
        return _admission(admissions.admission_row(self._context.database, asked.id))

    def watch_admission(self, admission: str) -> Iterator[Admission]:
        last, id_ = None, _find(self._context, admission).admission.id
        while True:
            found = self.get_admission(id_)
            if found != last:
                yield found
            if found.state not in _UNDER_WAY:
                return
            last = found
            time.sleep(_LOOK_EVERY_S)


def admission_progress(context: AppContext, operation: str) -> Operation:
    """Return how far the admission is that an operation stands for. Raise UnknownError."""
    row = _find(context, operation.removeprefix(ADMISSIONS))
    found = _admission(row)
    return Operation(
        id=f"{ADMISSIONS}{found.id}",
        kind=OperationKind.ADMISSION,
        state=_STATES[found.state],
        done=len(found.findings),
        # How many checks there will be is known when they are over.
        total=len(found.findings) + (found.state in _UNDER_WAY),
        sentence=found.summary or f"{found.bot} version {found.version}",
        started_at_us=found.started_at_us,
        ended_at_us=found.ended_at_us,
        error=found.summary if found.state is AdmissionState.REFUSED else None,
    )


def _find(context: AppContext, text: str) -> AdmissionRow:
    """Return the admission of that id, or the newest of the version that the text means.

    Raises UnknownError if there is none, and ForbiddenError if it is another owner's.
    """
    try:
        row = admissions.admission_row(context.database, text)
    except NotFoundError:
        found = find_version(context, text)
        newest = admissions.newest_admission(context.database, found.version.id)
        if newest is None:
            raise UnknownError(
                Text(
                    "version {number} of {name} was never to be admitted; bots of the organiser need no admission",
                    number=found.version.number,
                    name=found.bot.name,
                )
            ) from None
        row = admissions.admission_row(context.database, newest.id)
    need_competitor(context.viewer, "see admissions")
    if not context.viewer.is_organiser and row.owner != context.viewer.owner_name:
        raise ForbiddenError(
            Text("the admission of {bot} is for its owner to see; your bots are in `arena bot list`", bot=row.bot)
        )
    return row


def _admission(row: AdmissionRow) -> Admission:
    stored = row.admission
    return Admission(
        id=stored.id,
        bot=row.bot,
        version=row.version.number,
        content_hash=row.version.content_hash,
        state=stored.state,
        requested_at_us=stored.requested_at_us,
        started_at_us=stored.started_at_us,
        ended_at_us=stored.ended_at_us,
        findings=tuple(
            Finding(
                check=str(check["check"]),
                state=FindingState(check["state"]),
                sentence=text_from_json(str(check["sentence"]), check.get("sentence_text")),
                evidence=check.get("evidence") or {},
            )
            for check in stored.checks
        ),
        summary=stored.summary and text_from_json(stored.summary, stored.summary_text),
    )


def upload_progress(context: AppContext, operation: str) -> Operation:
    """Return how far an upload is, in bytes, or what became of it within the last hour.

    Raises UnknownError if there is none, also for one of somebody else: whether it exists is nobody else's business.
    """
    upload_id, area = operation.removeprefix(UPLOADS), context.uploads
    if area is not None:
        owner, found = _whose(context.viewer), None
        with suppress(UploadMissingError):
            found = area.get(upload_id)
        # Read after it: what became of an upload is noted before it is discarded.
        past = area.history.find(upload_id, owner)
        if found is not None and owner in (None, found.owner):
            is_whole = found.offset == found.size_bytes
            return Operation(
                id=f"{UPLOADS}{found.id}",
                kind=OperationKind.UPLOAD,
                state=OperationState.RUNNING,
                done=found.offset,
                total=found.size_bytes,
                sentence=Text("everything has arrived, and is to be submitted") if is_whole else "",
                started_at_us=None if past is None else int(past.begun_s * _SECOND_US),
            )
        if past is not None and past.ended_s is not None:
            return Operation(
                id=f"{UPLOADS}{past.id}",
                kind=OperationKind.UPLOAD,
                state=OperationState.DONE if past.error is None else OperationState.FAILED,
                done=past.size_bytes,
                total=past.size_bytes,
                sentence=past.sentence,
                started_at_us=int(past.begun_s * _SECOND_US),
                ended_at_us=None if past.ended_s is None else int(past.ended_s * _SECOND_US),
                error=past.error,
            )
    raise UnknownError(Text("there is no upload {upload}; `arena bot submit` begins one", upload=repr(upload_id)))


def _whose(viewer: Viewer) -> str | None:
    """Return whose uploads a viewer may see, or `None` for everybody's."""
    if viewer.is_organiser:
        return None
    # No owner has an empty name, so nothing is found for whoever may hand nothing in.
    return viewer.owner_name or "" if viewer.scope is Scope.COMPETITOR else ""
