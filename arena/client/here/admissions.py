"""The admissions of a database: an owner sees his own, an organiser all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from arena.client.errors import ForbiddenError
from arena.client.here.lookup import find_version
from arena.client.here.place import Place
from arena.client.here.rights import need_competitor, need_own_bot
from arena.client.values.admissions import Admission, Finding, FindingState
from arena.client.values.operations import Operation, OperationKind, OperationState
from arena.client.values.page import DEFAULT_LIMIT, Page
from ratings.errors import NotFoundError
from ratings.ledger.service import ServiceLedger
from ratings.read import admissions
from ratings.read.admissions import AdmissionRow
from ratings.store.states import AdmissionState

_LOOK_EVERY_S = 0.5
_USUAL_CHECKS = 8
_STATES = {
    AdmissionState.QUEUED: OperationState.QUEUED,
    AdmissionState.RUNNING: OperationState.RUNNING,
    AdmissionState.ADMITTED: OperationState.DONE,
    AdmissionState.REFUSED: OperationState.DONE,
    AdmissionState.WITHDRAWN: OperationState.CANCELLED,
}
_PENDING = (AdmissionState.QUEUED, AdmissionState.RUNNING)


class AdmissionsHere:
    """Implements the interface `arena.client.port.Admissions`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_admissions(
        self, state: AdmissionState | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Admission]:
        viewer = self._place.viewer
        need_competitor(viewer, "see admissions")
        owner_id = None if viewer.is_organiser else viewer.owner_id
        page = admissions.list_admissions(
            self._place.database, owner_id=owner_id, state=state, limit=limit, after=after
        )
        return Page(tuple(map(_value, page.items)), page.next)

    def get_admission(self, admission: str) -> Admission:
        return _value(self._row(admission))

    def request_admission(self, text: str) -> Admission:
        found = find_version(self._place, text)
        need_own_bot(self._place.viewer, found.bot, "have it admitted")
        queued = ServiceLedger(self._place.database).request_admission(found.version.id)
        return self.get_admission(queued.id)

    def watch_admission(self, admission: str) -> Iterator[Admission]:
        id_, last = self._row(admission).admission.id, None
        while True:
            found = self.get_admission(id_)
            if found != last:
                yield found
            if found.state not in _PENDING:
                return
            last = found
            time.sleep(_LOOK_EVERY_S)

    def get_progress(self, admission: str) -> Operation:
        """Return how far an admission is, as a long job; `done` counts its findings."""
        return _operation(self.get_admission(admission))

    def _row(self, text: str) -> AdmissionRow:
        """Return an admission, named by its id or by a version. Raises ForbiddenError for another owner's."""
        row = self._find(text)
        viewer = self._place.viewer
        if not viewer.is_organiser and (row.owner is None or row.owner != viewer.owner_name):
            raise ForbiddenError(
                "an owner sees only the admissions of his own bots; `arena bot list` shows them"
            )
        return row

    def _find(self, text: str) -> AdmissionRow:
        try:
            return admissions.admission_row(self._place.database, text)
        except NotFoundError:
            found = find_version(self._place, text)
        newest = admissions.newest_admission(self._place.database, found.version.id)
        if newest is None:
            raise NotFoundError(f"{text} was never looked at; `arena bot submit` has a version admitted")
        return admissions.admission_row(self._place.database, newest.id)


def _value(row: AdmissionRow) -> Admission:
    admission = row.admission
    return Admission(
        id=admission.id,
        bot=row.bot,
        version=row.version.number,
        content_hash=row.version.content_hash,
        state=admission.state,
        requested_at_us=admission.requested_at_us,
        started_at_us=admission.started_at_us,
        ended_at_us=admission.ended_at_us,
        findings=tuple(map(_finding, admission.checks)),
        summary=admission.summary,
    )


def _finding(check: Mapping[str, Any]) -> Finding:
    return Finding(
        check=str(check.get("check", "")),
        state=FindingState(check["state"]),
        sentence=str(check.get("sentence", "")),
        evidence=check.get("evidence") or {},
    )


def _operation(admission: Admission) -> Operation:
    return Operation(
        id=f"admissions/{admission.id}",
        kind=OperationKind.ADMISSION,
        state=_STATES[admission.state],
        done=len(admission.findings),
        total=max(len(admission.findings), _USUAL_CHECKS),
        sentence=admission.summary or "",
        started_at_us=admission.started_at_us,
        ended_at_us=admission.ended_at_us,
    )
