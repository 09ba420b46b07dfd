"""The versions that were added last, and whether they were let in."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from ratings.store.bot_event import ActiveVersion
from ratings.store.models import Bot, Owner, Version
from ratings.store.service import Admission
from ratings.store.sessions import Source, read
from ratings.values.bots import RecentVersion
from ratings.values.names import PEOPLE
from ratings.values.states import AdmissionState


def newest_versions(source: Source, limit: int) -> tuple[RecentVersion, ...]:
    """Return the versions that were added last, the last first, without the seats that people take."""
    query = (
        select(Version, Bot, Owner.name, ActiveVersion.version_id)
        .join(Bot, col(Bot.id) == Version.bot_id)
        .join(Owner, col(Owner.id) == col(Bot.owner_id), isouter=True)
        .join(ActiveVersion, col(ActiveVersion.version_id) == Version.id, isouter=True)
        .where(or_(col(Owner.name).is_(None), col(Owner.name) != PEOPLE))
        .order_by(col(Version.id).desc())
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
    of_these = select(func.max(Admission.id)).where(col(Admission.version_id).in_(version_ids))
    last = of_these.group_by(Admission.version_id)
    found = session.exec(select(Admission.version_id, Admission.state).where(col(Admission.id).in_(last)))
    return {version: AdmissionState(state) for version, state in found}
