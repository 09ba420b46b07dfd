"""Whether versions may play: were they admitted, or annulled? Asked in an open session."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import Session, col, func, select

from ratings.store.bot_event import BotEventRecord
from ratings.store.models import BotRecord, VersionRecord
from ratings.store.service import AdmissionRecord
from ratings.values.states import AdmissionState, BotEventKind

_DECIDED = (AdmissionState.ADMITTED, AdmissionState.REFUSED)


def is_admitted(session: Session, version_id: str) -> bool:
    """Return whether the version was admitted: the last decision on it counts. A remote one needs no admission."""
    return not unadmitted(session, [version_id], also_without_owner=True)


def unadmitted(session: Session, version_ids: Collection[str], *, also_without_owner: bool = False) -> list[str]:
    """Return which of the versions were not admitted, or refused later; by default only those of owners.

    Remote ones are not among them: they never run here, so that there is nothing to be looked at.
    """
    last = (
        select(AdmissionRecord.version_id, func.max(AdmissionRecord.id).label("last"))
        .where(col(AdmissionRecord.state).in_(_DECIDED), col(AdmissionRecord.version_id).in_(version_ids))
        .group_by(AdmissionRecord.version_id)
        .subquery()
    )
    admitted = (
        select(AdmissionRecord.version_id)
        .join(last, last.c.last == AdmissionRecord.id)
        .where(AdmissionRecord.state == AdmissionState.ADMITTED)
    )
    query = (
        select(VersionRecord.id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .where(col(VersionRecord.id).in_(version_ids))
    )
    if not also_without_owner:
        query = query.where(col(BotRecord.owner_id).is_not(None))
    query = query.where(~col(BotRecord.remote), col(VersionRecord.id).not_in(admitted))
    return list(session.exec(query.order_by(VersionRecord.id)))


def annulled(session: Session, version_ids: Collection[str]) -> set[str]:
    """Return those of the versions of which everything that they played was annulled."""
    query = select(BotEventRecord.version_id).where(BotEventRecord.kind == BotEventKind.ANNULLED)
    found = session.exec(query.where(col(BotEventRecord.version_id).in_(version_ids)))
    return {version_id for version_id in found if version_id is not None}
