"""Brings the entrants of ladders in line with the versions that are active, from the next wave on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlmodel import Session, col, select

from engine.text import Text
from ratings.ledger.entering import join, void_planned, withdraw
from ratings.ledger.live import rate_prefix
from ratings.store import waves
from ratings.store.ladders import RunningLadder, annulled, may_play, running_ladders
from ratings.store.models import BotRecord, OwnerRecord, Table, VersionRecord
from ratings.store.service import AbsenceRecord

_TAKEN_OUT = Text("ratings.version_plays_taken_out_ladder", "a version that plays in it was taken out of the ladder")
_ABSENT = Text("ratings.version_plays_cannot_started", "a version that plays in it cannot be started")


@dataclass(frozen=True, slots=True)
class Changes:
    """Which versions entered a ladder and which left it, by id."""

    joined: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def sync_ladders(session: Session, *kept: Table) -> None:
    """Bring every open ladder in line with the versions that are active, and read the rows that are `kept` anew."""
    for running in running_ladders(session):
        sync_ladder(session, running)
    for row in kept:
        session.refresh(row)


def sync_ladder(session: Session, running: RunningLadder) -> Changes:
    """Enter the active versions that are not in the ladder, and take out those in it that are not active any more.

    In a season that is frozen nobody enters, and a version only leaves if it may not play any more; remote ones that
    had entered come back. The planned blocks of a version that was withdrawn or annulled, cannot be started or is
    remote are void; any other plays what is planned of it.
    """
    if running.season.final_tournament_id is not None:
        return Changes()
    tournament_id, is_frozen = running.tournament.id, running.season.frozen_at_us is not None
    wanted = [version.id for version in may_play(session, running.pool)]
    entered = waves.entered_versions(session, tournament_id)
    present = [version.version_id for version in entered if version.withdrawn_wave is None]
    bad, barred = _barred(session, set(present) - set(wanted))
    known = _remote(session, {version.version_id for version in entered}) if is_frozen else set(wanted)
    joining = [version for version in wanted if version not in present and version in known]
    leaving = [version for version in present if version not in wanted and (not is_frozen or version in barred)]
    for version_id in joining:
        join(session, tournament_id, version_id, may_return=True)
    for version_id in leaving:
        withdraw(session, tournament_id, version_id, _TAKEN_OUT, voids=version_id in bad)
    _void_what_came_back(session, tournament_id)
    return Changes(tuple(joining), tuple(leaving))


def _void_what_came_back(session: Session, tournament_id: str) -> None:
    """Make void what is planned with versions that cannot be started: matches that a dead process had leased."""
    absent = session.exec(select(AbsenceRecord.version_id)).all()
    if sum(void_planned(session, tournament_id, version_id, _ABSENT) for version_id in absent):
        rate_prefix(session.connection(), tournament_id)
        session.expire_all()


def _remote(session: Session, version_ids: Collection[str]) -> set[str]:
    """Return those of the versions whose bots are remote."""
    query = select(VersionRecord.id).join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    return set(session.exec(query.where(col(VersionRecord.id).in_(version_ids), col(BotRecord.remote))))


def _barred(session: Session, version_ids: Collection[str]) -> tuple[set[str], set[str]]:
    """Return which of the versions were withdrawn or annulled, and which may not play, for that or another reason.

    One that cannot be started counts as withdrawn, and so does a remote one: its author connects another version. The
    others only made room for another version of their bot.
    """
    query = (
        select(VersionRecord, BotRecord.disabled_at_us, OwnerRecord.disabled_at_us)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .where(col(VersionRecord.id).in_(version_ids))
    )
    absent = session.exec(select(AbsenceRecord.version_id).where(col(AbsenceRecord.version_id).in_(version_ids)))
    bad, barred = annulled(session, version_ids) | set(absent) | _remote(session, version_ids), set()
    for version, bot_disabled, owner_disabled in session.exec(query):
        if version.withdrawn_at_us is not None:
            bad.add(version.id)
        if bot_disabled is not None or owner_disabled is not None:
            barred.add(version.id)
    return bad, bad | barred
