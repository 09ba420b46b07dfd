"""The versions that were added last, and whether they were let in."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from ratings.store.bot_event import ActiveVersionRecord
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.service import AdmissionRecord
from ratings.store.sessions import Source, read
from ratings.values.bots import RecentVersion
from ratings.values.names import PEOPLE
from ratings.values.states import AdmissionState


def newest_versions(source: Source, limit: int) -> tuple[RecentVersion, ...]:
    """Return the versions that were added last, the last first, without the seats that people take."""
    query = (
        select(VersionRecord, BotRecord, OwnerRecord.name, ActiveVersionRecord.version_id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.version_id) == VersionRecord.id, isouter=True)
        .where(or_(col(OwnerRecord.name).is_(None), col(OwnerRecord.name) != PEOPLE))
        .order_by(col(VersionRecord.id).desc())
        .limit(limit)
    )
    with read(source) as session:
        found = session.exec(query).all()
        states = _last_states(session, [version.id for version, *_ in found])
    return tuple(
        RecentVersion(
            bot=bot.name,
            number=version.number,
            created_at_us=version.created_at_us,
            remote=bot.remote,
            is_gone=version.withdrawn_at_us is not None or bot.disabled_at_us is not None,
            plays=active is not None or owner is None,
            admission=states.get(version.id),
        )
        for version, bot, owner, active in found
    )


def _last_states(session: Session, version_ids: Collection[str]) -> dict[str, AdmissionState]:
    of_these = select(func.max(AdmissionRecord.id)).where(col(AdmissionRecord.version_id).in_(version_ids))
    last = of_these.group_by(AdmissionRecord.version_id)
    found = session.exec(
        select(AdmissionRecord.version_id, AdmissionRecord.state).where(col(AdmissionRecord.id).in_(last))
    )
    return {version: AdmissionState(state) for version, state in found}
