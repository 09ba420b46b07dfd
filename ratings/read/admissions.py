"""Admissions of new versions: what was checked and found, what waits for promotion, and which versions came last."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, or_
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.read.paging import Order, cut, one_page
from ratings.store import ladder_queries as ladders
from ratings.store import tables
from ratings.store.bot_events import ActiveVersionRecord
from ratings.store.models import BotRecord, OwnerRecord, TournamentRecord, VersionRecord
from ratings.store.service import AdmissionRecord, AdmissionRow
from ratings.store.sessions import Source, read
from ratings.values.leaderboards import RecentVersion
from ratings.values.owners import PEOPLE
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import AdmissionState, BotEventKind

_e, _a = tables.bot_event, tables.active_version
_ADMISSIONS = Order("admissions", (tables.admission.c.id,), (str,))
_ROWS = (
    select(AdmissionRecord, VersionRecord, BotRecord.name, OwnerRecord.name)
    .join(VersionRecord, col(VersionRecord.id) == AdmissionRecord.version_id)
    .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
)
PROMOTES = "promotes"
"""The key in the settings of a comparison that decides about a version, under which the id of that version stands."""
LADDER = "ladder"
"""The key under which such a comparison tells the id of the ladder that it is played for."""
_UNDECIDED = (BotEventKind.SUBMITTED, BotEventKind.ADMITTED)


def admission_row(source: Source, admission_id: str) -> AdmissionRow:
    """Return one admission. Raises NotFoundError."""
    with read(source) as session:
        found = session.exec(_ROWS.where(AdmissionRecord.id == admission_id)).one_or_none()
    if found is None:
        raise NotFoundError(Text("no admission {admission}; see: arena bot log", admission=repr(admission_id)))
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
        return ladders.unadmitted(session, version_ids)


def unfit(source: Source, version_ids: Collection[str]) -> frozenset[str]:
    """Return which of the versions may not be active: those that were not admitted, and those that were annulled."""
    with read(source) as session:
        return frozenset(ladders.unadmitted(session, version_ids)) | ladders.annulled(session, version_ids)


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
    admitted = _last(_e.c.kind == BotEventKind.ADMITTED).subquery()
    decided = _last(_e.c.kind.not_in(_UNDECIDED)).subquery()
    query = (
        select(VersionRecord, BotRecord)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id))
        .where(
            col(VersionRecord.id).in_(
                core_select(admitted.c.version_id)
                .outerjoin(decided, decided.c.version_id == admitted.c.version_id)
                .where(admitted.c.last > func.coalesce(decided.c.last, -1))
            ),
            col(VersionRecord.withdrawn_at_us).is_(None),
        )
        .where(col(BotRecord.disabled_at_us).is_(None), col(OwnerRecord.disabled_at_us).is_(None))
        .order_by(VersionRecord.id)
    )
    with read(source) as session:
        active = select(VersionRecord).join(_a, _a.c.version_id == VersionRecord.id)
        found = [
            WaitingVersion(version, bot, session.exec(active.where(_a.c.bot_id == bot.id)).one_or_none())
            for version, bot in session.exec(query).all()
        ]
    return [one for one in found if one.active is None or one.active.number < one.version.number]


def _last(condition: ColumnElement[bool]) -> Select[str, int]:
    last = core_select(_e.c.version_id, func.max(_e.c.number).label("last"))
    return last.where(condition, _e.c.version_id.is_not(None)).group_by(_e.c.version_id)


def promotion_tests(source: Source, version_ids: list[str] | None = None) -> list[PromotionTest]:
    """Return the comparisons that decide about these versions; by default all that are not over."""
    query = select(TournamentRecord).where(col(TournamentRecord.settings)[PROMOTES].as_string().is_not(None))
    if version_ids is None:
        query = query.where(col(TournamentRecord.more_waves), col(TournamentRecord.cancelled_at_us).is_(None))
    else:
        query = query.where(col(TournamentRecord.settings)[PROMOTES].as_string().in_(version_ids))
    with read(source) as session:
        found = session.exec(query.where(TournamentRecord.format == "compare").order_by(TournamentRecord.id)).all()
    return [PromotionTest(one, one.settings[PROMOTES], one.settings[LADDER]) for one in found]


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
