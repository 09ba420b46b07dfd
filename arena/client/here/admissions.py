"""The admissions of a database: an owner sees his own, an organiser all."""

# ruff: noqa: ARG002

from __future__ import annotations

from collections.abc import Iterator

from arena.client.errors import ClientError
from arena.client.here.place import Place
from arena.client.values.admissions import Admission
from arena.client.values.page import DEFAULT_LIMIT, Page
from ratings.store.states import AdmissionState

_NOT_KEPT = ClientError("this database keeps no admissions yet")


class AdmissionsHere:
    """Implements the interface `arena.client.port.Admissions`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_admissions(
        self, state: AdmissionState | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Admission]:
        raise _NOT_KEPT

    def get_admission(self, admission: str) -> Admission:
        raise _NOT_KEPT

    def request_admission(self, text: str) -> Admission:
        raise _NOT_KEPT

    def watch_admission(self, admission: str) -> Iterator[Admission]:
        raise _NOT_KEPT
