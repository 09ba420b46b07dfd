"""Ladders and their seasons by name, and which versions may play in them. Asked in an open session."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from engine.translatable import Text
from ratings.errors import NotFoundError
from ratings.store.bot_events import ActiveVersionRecord, BotEventRecord
from ratings.store.models import BotRecord, OwnerRecord, PoolRecord, TournamentRecord, VersionRecord
from ratings.store.season import SeasonRecord
from ratings.store.service import AbsenceRecord, AdmissionRecord, GuestRecord, LadderRecord
from ratings.values.owners import PEOPLE
from ratings.values.pools import plays
from ratings.values.states import AdmissionState, BotEventKind

_DECIDED = (AdmissionState.ADMITTED, AdmissionState.REFUSED)


@dataclass(frozen=True, slots=True)
class RunningLadder:
    """An open ladder with the season that is played."""

    ladder: LadderRecord
    pool: PoolRecord
    season: SeasonRecord
    tournament: TournamentRecord


def get_ladder(session: Session, name: str) -> LadderRecord:
    """Return the open ladder of that name, or the one that was closed last. Raises NotFoundError."""
    query = select(LadderRecord).where(LadderRecord.name == name).order_by(col(LadderRecord.closed_at_us).is_not(None))
    found = session.exec(query.order_by(col(LadderRecord.id).desc()).limit(1)).first()
    if found is None:
        raise NotFoundError(Text("no ladder {name}; see: arena ladder list", name=repr(name)))
    return found


def running_ladders(session: Session, ladder_id: str | None = None) -> list[RunningLadder]:
    """Return the open ladders whose season is not closed, or one of them, by name."""
    query = (
        select(LadderRecord, PoolRecord, SeasonRecord, TournamentRecord)
        .join(PoolRecord, col(PoolRecord.id) == LadderRecord.pool_id)
        .join(SeasonRecord, col(SeasonRecord.ladder_id) == LadderRecord.id)
        .join(TournamentRecord, col(TournamentRecord.id) == SeasonRecord.tournament_id)
        .where(col(LadderRecord.closed_at_us).is_(None), col(SeasonRecord.closed_at_us).is_(None))
        .order_by(LadderRecord.name)
    )
    if ladder_id is not None:
        query = query.where(LadderRecord.id == ladder_id)
    return [RunningLadder(*row) for row in session.exec(query)]


def may_play(session: Session, pool: PoolRecord) -> list[VersionRecord]:
    """Return the active versions that play in a pool and can be started, in the order in which their bots were made."""
    active = active_in(session, pool)
    query = select(AbsenceRecord.version_id).where(
        col(AbsenceRecord.version_id).in_([version.id for version in active])
    )
    absent = set(session.exec(query))
    return [version for version in active if version.id not in absent]


def active_in(session: Session, pool: PoolRecord) -> list[VersionRecord]:
    """Return the active versions that play in a pool, those too that cannot be started at present.

    Remote bots play in pools of remote bots, and there besides them only the guests of the open ladder. What is
    disabled does not play, nor do the seats that people take. They come in the order in which their bots were made.
    """
    guests = select(GuestRecord.bot_id).join(LadderRecord, col(LadderRecord.id) == GuestRecord.ladder_id)
    guests = guests.where(LadderRecord.pool_id == pool.id, col(LadderRecord.closed_at_us).is_(None))
    query = (
        select(VersionRecord)
        .join(ActiveVersionRecord, col(ActiveVersionRecord.version_id) == VersionRecord.id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .where(col(BotRecord.disabled_at_us).is_(None), col(OwnerRecord.disabled_at_us).is_(None))
        .where(func.coalesce(OwnerRecord.name, "") != PEOPLE)
        .where(col(BotRecord.remote) | col(BotRecord.id).in_(guests) if pool.remote else ~col(BotRecord.remote))
        .order_by(BotRecord.id)
    )
    return [version for version in session.exec(query) if plays(version.manifest, pool.game, pool.rules_version)]


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
