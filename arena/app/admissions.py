"""The admissions of a database: an owner sees his own, an organiser all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from arena.app.lookup import find_version
from arena.app.place import Place
from arena.app.rights import need_competitor, need_own_bot
from arena.model.admissions import Admission, Finding, FindingState
from arena.model.errors import ForbiddenError, UnknownError
from arena.model.operations import Operation, OperationKind, OperationState
from arena.model.page import DEFAULT_LIMIT, Page
from ratings.errors import NotFoundError
from ratings.ledger.service import ServiceLedger
from ratings.read import admissions
from ratings.read.admissions import AdmissionRow
from ratings.store.states import AdmissionState

PREFIX = "admissions/"
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


class AdmissionsHere:
    """Implements the interface `arena.model.port.Admissions`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_admissions(
        self, state: AdmissionState | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Admission]:
        viewer = self._place.viewer
        need_competitor(viewer, "see admissions")
        owner_id = None if viewer.is_organiser else viewer.owner_id or ""
        page = admissions.list_admissions(
            self._place.database, owner_id=owner_id, state=state, limit=limit, after=after
        )
        return Page(tuple(map(_admission, page.items)), page.next)

    def get_admission(self, admission: str) -> Admission:
        return _admission(_find(self._place, admission))

    def request_admission(self, text: str) -> Admission:
        found = find_version(self._place, text)
        need_own_bot(self._place.viewer, found.bot, "have it admitted")
        asked = ServiceLedger(self._place.database).request_admission(found.version.id)
        return _admission(admissions.admission_row(self._place.database, asked.id))

    def watch_admission(self, admission: str) -> Iterator[Admission]:
        last, id_ = None, _find(self._place, admission).admission.id
        while True:
            found = self.get_admission(id_)
            if found != last:
                yield found
            if found.state not in _UNDER_WAY:
                return
            last = found
            time.sleep(_LOOK_EVERY_S)


def admission_progress(place: Place, operation: str) -> Operation:
    """Return how far the admission is that an operation stands for. Raise UnknownError."""
    row = _find(place, operation.removeprefix(PREFIX))
    found = _admission(row)
    return Operation(
        id=f"{PREFIX}{found.id}",
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


def _find(place: Place, text: str) -> AdmissionRow:
    """Return the admission of that id, or the newest of the version that the text means.

    Raises UnknownError if there is none, and ForbiddenError if it is another owner's.
    """
    row = _row(place, text)
    need_competitor(place.viewer, "see admissions")
    if not place.viewer.is_organiser and row.owner != place.viewer.owner_name:
        raise ForbiddenError(f"the admission of {row.bot} is for its owner to see; your bots are in `arena bot list`")
    return row


def _row(place: Place, text: str) -> AdmissionRow:
    try:
        return admissions.admission_row(place.database, text)
    except NotFoundError:
        found = find_version(place, text)
    newest = admissions.newest_admission(place.database, found.version.id)
    if newest is None:
        raise UnknownError(
            f"version {found.version.number} of {found.bot.name} was never to be admitted; bots of the organiser need "
            "no admission"
        )
    return admissions.admission_row(place.database, newest.id)


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
        findings=tuple(map(_finding, stored.checks)),
        summary=stored.summary,
    )


def _finding(stored: Mapping[str, Any]) -> Finding:
    return Finding(
        check=str(stored["check"]),
        state=FindingState(stored["state"]),
        sentence=str(stored["sentence"]),
        evidence=stored.get("evidence") or {},
    )
