"""Versions that were admitted and of which nobody has decided whether they replace the active ones of their bots."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from ratings.store import tables
from ratings.store.models import BotRecord, OwnerRecord, TournamentRecord, VersionRecord
from ratings.store.sessions import Source, read
from ratings.values.states import BotEventKind

PROMOTES = "promotes"
"""The key in the settings of a comparison that decides about a version, under which the id of that version stands."""
LADDER = "ladder"
"""The key under which such a comparison tells the id of the ladder that it is played for."""

_e, _a = tables.bot_event, tables.active_version
_UNDECIDED = (BotEventKind.SUBMITTED, BotEventKind.ADMITTED)


@dataclass(frozen=True, slots=True)
class WaitingVersion:
    """An admitted version that waits to replace the active one of its bot, if there is one."""

    version: VersionRecord
    bot: BotRecord
    active: VersionRecord | None


@dataclass(frozen=True, slots=True)
class PromotionTest:
    """A comparison of a version with the one that it may replace."""

    tournament: TournamentRecord
    version_id: str
    ladder_id: str


def waiting_versions(source: Source) -> list[WaitingVersion]:
    """Return the versions that wait, each newer than the active one of its bot, in the order of their submission.

    Of what is disabled nothing waits.
    """
    query = (
        select_rows(VersionRecord, BotRecord)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id))
        .where(col(VersionRecord.id).in_(_undecided()), col(VersionRecord.withdrawn_at_us).is_(None))
        .where(col(BotRecord.disabled_at_us).is_(None), col(OwnerRecord.disabled_at_us).is_(None))
        .order_by(VersionRecord.id)
    )
    with read(source) as session:
        found = [WaitingVersion(version, bot, _active(session, bot)) for version, bot in session.exec(query).all()]
    return [one for one in found if one.active is None or one.active.number < one.version.number]


def _undecided() -> Select[str]:
    """Return the query for the versions after whose last admission nothing was decided about them."""
    admitted = _last(_e.c.kind == BotEventKind.ADMITTED).subquery()
    decided = _last(_e.c.kind.not_in(_UNDECIDED)).subquery()
    return (
        select(admitted.c.version_id)
        .outerjoin(decided, decided.c.version_id == admitted.c.version_id)
        .where(admitted.c.last > func.coalesce(decided.c.last, -1))
    )


def _last(condition: ColumnElement[bool]) -> Select[str, int]:
    last = select(_e.c.version_id, func.max(_e.c.number).label("last"))
    return last.where(condition, _e.c.version_id.is_not(None)).group_by(_e.c.version_id)


def _active(session: Session, bot: BotRecord) -> VersionRecord | None:
    query = select_rows(VersionRecord).join(_a, _a.c.version_id == VersionRecord.id)
    return session.exec(query.where(_a.c.bot_id == bot.id)).one_or_none()


def promotion_tests(source: Source, version_ids: list[str] | None = None) -> list[PromotionTest]:
    """Return the comparisons that decide about these versions; by default all that are not over."""
    query = select_rows(TournamentRecord).where(col(TournamentRecord.settings)[PROMOTES].as_string().is_not(None))
    if version_ids is None:
        query = query.where(col(TournamentRecord.more_waves), col(TournamentRecord.cancelled_at_us).is_(None))
    else:
        query = query.where(col(TournamentRecord.settings)[PROMOTES].as_string().in_(version_ids))
    with read(source) as session:
        found = session.exec(query.where(TournamentRecord.format == "compare").order_by(TournamentRecord.id)).all()
    return [PromotionTest(one, one.settings[PROMOTES], one.settings[LADDER]) for one in found]
