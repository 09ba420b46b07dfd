"""Writes which active versions cannot play at present, so that ladders go on without them until they can.

A hosted one cannot be started; a remote one is not connected, which its author knows best, so that nobody is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session

from engine.text import Text, parts_of
from ratings.ledger.notices import add_notice
from ratings.ledger.syncing import sync_ladders
from ratings.store.bot_events import ActiveVersionRecord
from ratings.store.identifiers import now_us
from ratings.store.lookups import get_version
from ratings.store.models import BotRecord, VersionRecord, with_text
from ratings.store.service import AbsenceRecord

SUBJECT = "bot absent"


@dataclass(frozen=True, slots=True)
class Noted:
    """What is new, bots by name."""

    gone: tuple[str, ...]
    back: tuple[str, ...]


def note_absences(session: Session, found: Mapping[str, str | None]) -> Noted:
    """Write of versions, by id, why they cannot play, or `None` if they can; tell owners of hosted ones what is new.

    The planned blocks of a version that cannot are void, and it enters again when it can. Raises NotFoundError.
    """
    gone, back = [], []
    for version_id, why in found.items():
        known = session.get(AbsenceRecord, version_id)
        if why is None and known is not None:
            session.delete(known)
            back.append(_tell(session, version_id, None))
        elif why is not None and known is None:
            session.add(AbsenceRecord(version_id=version_id, since_us=now_us(), **with_text("why", why)))
            gone.append(_tell(session, version_id, why))
        elif why is not None and known is not None and known.why != why:
            known.why, known.why_text = why, parts_of(why)
            session.add(known)
    session.flush()
    if gone or back:
        sync_ladders(session)
    return Noted(tuple(gone), tuple(back))


def _tell(session: Session, version_id: str, why: str | None) -> str:
    """Tell the owner of the version, if it has one, is hosted and active, why it cannot play, or that it can (`None`).

    Return the name of the bot.
    """
    version: VersionRecord = get_version(session, version_id)
    bot = session.get_one(BotRecord, version.bot_id)
    active = session.get(ActiveVersionRecord, bot.id)
    is_told = bot.owner_id is not None and not bot.remote
    if is_told and active is not None and active.version_id == version_id:
        sentence = (
            Text(
                "ratings.version_can_started_again_back",
                "{bot} version {number} can be started again, and is back on its ladders",
                bot=bot.name,
                number=version.number,
            )
            if why is None
            else Text(
                "ratings.version_plays_no_ladder_until",
                "{bot} version {number} plays on no ladder until this is mended: {why}",
                bot=bot.name,
                number=version.number,
                why=why,
            )
        )
        add_notice(session, bot.owner_id, SUBJECT, sentence)
    return bot.name
