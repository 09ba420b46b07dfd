"""Writes the life of admissions: asked for, looked at, decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from engine.translatable import Text, parts_of
from ratings.errors import AdmissionError, NotFoundError
from ratings.ledger.bots import promote, read_lineage, record_event
from ratings.store.identifiers import new_id, now_us
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord, with_text
from ratings.store.service import AdmissionRecord, AdmissionRow
from ratings.store.sessions import get_version, owner_name, save
from ratings.values.owners import ARENA
from ratings.values.states import AdmissionState, BotEventKind

_OPEN = (AdmissionState.QUEUED, AdmissionState.RUNNING)


def request_admission(session: Session, version_id: str, why: str | None = None) -> AdmissionRecord:
    """Queue a version, unless it is queued or looked at already, and return its admission.

    `why` is a sentence that says what it waits for, if that is not its turn.

    Older versions of the bot that still wait are withdrawn: this one takes their place. Raises NotFoundError, and
    AdmissionError for a version that was withdrawn, or whose bot is remote, or whose bot or owner is disabled.
    """
    version = get_version(session, version_id)
    _check_can_play(session, version)
    query = select(AdmissionRecord).join(VersionRecord, col(VersionRecord.id) == AdmissionRecord.version_id)
    for waiting in session.exec(
        query.where(VersionRecord.bot_id == version.bot_id, col(AdmissionRecord.state).in_(_OPEN))
    ).all():
        if waiting.version_id == version_id:
            return waiting
        if waiting.state is AdmissionState.QUEUED:
            _end(
                session,
                waiting,
                AdmissionState.WITHDRAWN,
                Text("version {number} took its place", number=version.number),
            )
    admission = AdmissionRecord(
        id=new_id(),
        version_id=version_id,
        state=AdmissionState.QUEUED,
        requested_at_us=now_us(),
        checks=[],
        **with_text("summary", why),
    )
    return save(session, admission)


def _check_can_play(session: Session, version: VersionRecord) -> None:
    bot = session.get_one(BotRecord, version.bot_id)
    owner = session.get(OwnerRecord, bot.owner_id) if bot.owner_id else None
    what = Text("version {number} of {bot} cannot be admitted", number=version.number, bot=repr(bot.name))
    if bot.remote:
        raise AdmissionError(
            Text("{what}: it is remote, and plays without being admitted whenever it is connected", what=what)
        )
    if version.withdrawn_at_us is not None:
        raise AdmissionError(Text("{what}: it was withdrawn; submit a new version", what=what))
    if version.files_removed_at_us is not None:
        raise AdmissionError(Text("{what}: its files were removed by retention; submit it again", what=what))
    if bot.disabled_at_us is not None:
        raise AdmissionError(
            Text(
                "{what}: the bot is disabled; let it in again: arena bot disable {name} --undo",
                what=what,
                name=bot.name,
            )
        )
    if owner is not None and owner.disabled_at_us is not None:
        raise AdmissionError(Text("{what}: its owner is disabled; ask the organiser", what=what))


def take_admission(session: Session) -> AdmissionRow | None:
    """Start the next admission and return it, or return `None` if none waits.

    Owners take turns: next comes the one whose last admission began longest ago, then the one who has waited longest.
    What is disabled waits.
    """
    began = (
        select(BotRecord.owner_id, func.max(AdmissionRecord.started_at_us).label("began"))
        .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
        .join(AdmissionRecord, col(AdmissionRecord.version_id) == VersionRecord.id)
        .group_by(col(BotRecord.owner_id))
        .subquery()
    )
    # Bots without owner share a turn; `owner_id` is empty for them, which equals nothing in SQL.
    same_owner = func.coalesce(began.c.owner_id, "") == func.coalesce(BotRecord.owner_id, "")
    query = (
        select(AdmissionRecord, VersionRecord, BotRecord)
        .join(VersionRecord, col(VersionRecord.id) == AdmissionRecord.version_id)
        .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
        .join(began, same_owner)
        .join(OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True)
        .where(AdmissionRecord.state == AdmissionState.QUEUED)
        .where(col(BotRecord.disabled_at_us).is_(None), col(OwnerRecord.disabled_at_us).is_(None))
        .order_by(func.coalesce(began.c.began, 0), col(AdmissionRecord.id))
        .limit(1)
        .with_for_update(of=AdmissionRecord, skip_locked=True)
    )
    found = session.exec(query).first()
    if found is None:
        return None
    admission, version, bot = found
    admission.state, admission.started_at_us, admission.checks = AdmissionState.RUNNING, now_us(), []
    _summarise(admission, None)
    save(session, admission)
    return AdmissionRow(admission, version, bot.name, owner_name(session, bot))


def add_finding(session: Session, admission_id: str, finding: Mapping[str, Any]) -> bool:
    """Add what a check found, and return True, or False if the admission is not being looked at any more."""
    admission = _get(session, admission_id)
    if admission.state is not AdmissionState.RUNNING:
        return False
    admission.checks = [*admission.checks, dict(finding)]
    save(session, admission)
    return True


def finish_admission(
    session: Session,
    admission_id: str,
    *,
    is_admitted: bool,
    summary: str,
    findings: Sequence[Mapping[str, Any]],
    promotes: bool,
) -> bool:
    """Decide an admission and return True, or False, with nothing changed, if it is over already.

    An admitted version becomes the active one of its bot if `promotes` says so, unless a newer one is active.
    """
    admission = _get(session, admission_id)
    if admission.state is not AdmissionState.RUNNING:
        return False
    admission.checks = [dict(finding) for finding in findings]
    _end(session, admission, AdmissionState.ADMITTED if is_admitted else AdmissionState.REFUSED, summary)
    version = get_version(session, admission.version_id)
    kind = BotEventKind.ADMITTED if is_admitted else BotEventKind.REFUSED
    record_event(session, version.bot_id, kind, version_id=version.id, actor=ARENA, message=summary)
    if is_admitted and promotes:
        active = read_lineage(session, version.bot_id).active
        if active is None or session.get_one(VersionRecord, active).number < version.number:
            promote(session, version.id, actor=ARENA, message=Text("it was admitted"))
    return True


def requeue_admissions(session: Session, admission_id: str | None = None, why: str | None = None) -> int:
    """Put every admission that is being looked at, or one of them, back into the queue; return how many.

    `why` is a sentence that says what they wait for, if that is not their turn.
    """
    query = select(AdmissionRecord).where(AdmissionRecord.state == AdmissionState.RUNNING)
    if admission_id is not None:
        query = query.where(AdmissionRecord.id == admission_id)
    found = session.exec(query).all()
    for admission in found:
        admission.state, admission.started_at_us, admission.checks = AdmissionState.QUEUED, None, []
        _summarise(admission, why)
        session.add(admission)
    session.flush()
    return len(found)


def withdraw_admissions_of(session: Session, version_id: str, why: str) -> None:
    """End the admission of a version that is not decided yet, if there is one."""
    query = select(AdmissionRecord).where(
        AdmissionRecord.version_id == version_id, col(AdmissionRecord.state).in_(_OPEN)
    )
    for admission in session.exec(query).all():
        _end(session, admission, AdmissionState.WITHDRAWN, why)


def _end(session: Session, admission: AdmissionRecord, state: AdmissionState, summary: str) -> None:
    admission.state, admission.ended_at_us = state, now_us()
    _summarise(admission, summary)
    save(session, admission)


def _summarise(admission: AdmissionRecord, summary: str | None) -> None:
    admission.summary, admission.summary_text = summary, parts_of(summary)


def _get(session: Session, admission_id: str) -> AdmissionRecord:
    admission = session.get(AdmissionRecord, admission_id)
    if admission is None:
        raise NotFoundError(Text("no admission {admission}; see: arena bot log", admission=admission_id))
    return admission
