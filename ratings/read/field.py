"""The bots that may enter a new tournament, each with the version that would play, or why none of its would."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from ratings.store.bot_event import ActiveVersionRecord
from ratings.store.fitness import annulled
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.service import AdmissionRecord
from ratings.store.sessions import Source, read
from ratings.values.names import PEOPLE


class Unfit(enum.Enum):
    """Why no version of a bot would play."""

    DISABLED = "disabled"
    OWNER_DISABLED = "owner disabled"
    NOT_ADMITTED = "not admitted"
    WITHDRAWN = "withdrawn"
    FILES_MISSING = "files missing"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot, with the version that would play and what keeps it out, if anything does."""

    bot: BotRecord
    version: VersionRecord
    unfit: Unfit | None


def candidates(source: Source) -> list[Candidate]:
    """Return all bots by name, but the seats that people take.

    The version is the active one of a bot, else its newest. One of an owner who handed it in to be looked at must have
    become active; where nobody looks at bots, as in a database without a service, it need not.
    """
    newest = (
        select(VersionRecord.bot_id, func.max(VersionRecord.number).label("number"))
        .group_by(col(VersionRecord.bot_id))
        .subquery()
    )
    query = (
        select(BotRecord, VersionRecord, OwnerRecord, ActiveVersionRecord.version_id)
        .join(newest, newest.c.bot_id == BotRecord.id)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.bot_id) == BotRecord.id, isouter=True)
        .join(
            VersionRecord,
            (col(VersionRecord.id) == ActiveVersionRecord.version_id)
            | (
                col(ActiveVersionRecord.version_id).is_(None)
                & (VersionRecord.bot_id == newest.c.bot_id)
                & (VersionRecord.number == newest.c.number)
            ),
        )
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .where(func.coalesce(OwnerRecord.name, "") != PEOPLE)
        .order_by(BotRecord.name)
    )
    with read(source) as session:
        rows = session.exec(query).all()
        out = annulled(session, [version.id for _, version, _, _ in rows])
        waiting = _handed_in(session)
        return [
            Candidate(
                bot, version, _unfit(bot, owner, version, version.id in out, active is None and version.id in waiting)
            )
            for bot, version, owner, active in rows
        ]


def _handed_in(session: Session) -> set[str]:
    """Return the versions that were handed in to be looked at, whatever was found."""
    return set(session.exec(select(AdmissionRecord.version_id).distinct()))


def _unfit(
    bot: BotRecord, owner: OwnerRecord | None, version: VersionRecord, is_annulled: bool, is_waiting: bool
) -> Unfit | None:
    if bot.disabled_at_us is not None:
        return Unfit.DISABLED
    if owner is not None and owner.disabled_at_us is not None:
        return Unfit.OWNER_DISABLED
    if version.withdrawn_at_us is not None or is_annulled:
        return Unfit.WITHDRAWN
    if is_waiting:
        return Unfit.NOT_ADMITTED
    return Unfit.FILES_MISSING if version.files_removed_at_us is not None else None
