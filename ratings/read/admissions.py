"""Admissions: what was checked, what was found, and how many wait."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import col, select

from engine.text import Text
from ratings.errors import NotFoundError
from ratings.read.paging import Order, cut, one_page
from ratings.store import fitness, tables
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.service import AdmissionRecord, AdmissionRow
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import AdmissionState

_ADMISSIONS = Order("admissions", (tables.admission.c.id,), (str,))
_ROWS = (
    select(AdmissionRecord, VersionRecord, BotRecord.name, OwnerRecord.name)
    .join(VersionRecord, col(VersionRecord.id) == AdmissionRecord.version_id)
    .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
)


def admission_row(source: Source, admission_id: str) -> AdmissionRow:
    """Return one admission. Raises NotFoundError."""
    with read(source) as session:
        found = session.exec(_ROWS.where(AdmissionRecord.id == admission_id)).one_or_none()
    if found is None:
        raise NotFoundError(
            Text(
                "ratings.no_admission_see_arena_bot",
                "no admission {admission}; see: arena bot log",
                admission=repr(admission_id),
            )
        )
    return AdmissionRow(*found)


def newest_admission(source: Source, version_id: str) -> AdmissionRecord | None:
    """Return the last admission that was asked for a version, or `None`."""
    query = (
        select(AdmissionRecord).where(AdmissionRecord.version_id == version_id).order_by(col(AdmissionRecord.id).desc())
    )
    with read(source) as session:
        return session.exec(query.limit(1)).first()


def list_admissions(
    source: Source,
    *,
    owner_id: str | None = None,
    state: AdmissionState | None = None,
    limit: int | None = DEFAULT_LIMIT,
    after: str | None = None,
) -> Page[AdmissionRow]:
    """Return the admissions, of an owner or of all, in one state or in any, the newest first. Raises PageError."""
    query = one_page(_ROWS, _ADMISSIONS, limit, after)
    if owner_id is not None:
        query = query.where(BotRecord.owner_id == owner_id)
    if state is not None:
        query = query.where(AdmissionRecord.state == state)
    with read(source) as session:
        rows = [AdmissionRow(*row) for row in session.exec(query)]
    return cut(rows, _ADMISSIONS, limit, lambda row: (row.admission.id,))


def unadmitted(source: Source, version_ids: Collection[str]) -> list[str]:
    """Return which of the versions may not play rated matches: an owner's that were not admitted, or refused later."""
    with read(source) as session:
        return fitness.unadmitted(session, version_ids)


def unfit(source: Source, version_ids: Collection[str]) -> frozenset[str]:
    """Return which of the versions may not be active: those that were not admitted, and those that were annulled."""
    with read(source) as session:
        return frozenset(fitness.unadmitted(session, version_ids)) | fitness.annulled(session, version_ids)
