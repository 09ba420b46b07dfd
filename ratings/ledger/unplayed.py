"""Takes away, or renames, bots and versions that no fact names yet: what has played stays for ever as it was.

Facts are only ever added, and archives, replays and notices name bots as they were called. So this is only for what
was added by mistake: nothing that took part in a tournament, a ladder or an admission, or was annulled.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from engine.text import Text
from ratings.errors import BotError
from ratings.ledger.lineage import read_lineage, set_active
from ratings.store.bot_events import ActiveVersionRecord, BotEventRecord
from ratings.store.identifiers import check_bot_name
from ratings.store.lookups import get_bot, get_version, owner_name
from ratings.store.models import AnnulmentRecord, BotRecord, EntrantRecord, MatchSeatRecord, VersionRecord
from ratings.store.service import AbsenceRecord, AdmissionRecord, GuestRecord
from ratings.values.owners import stored_bot_name


def remove_bot(session: Session, name: str) -> list[str]:
    """Take a bot away with all its versions and its history, and return the content hashes of these.

    Raises NotFoundError, and BotError if anything names one of them.
    """
    bot = get_bot(session, name)
    versions = _versions(session, bot)
    _check_unnamed(session, bot, versions, bot.name, f"arena bot disable {bot.name}")
    hashes = [version.content_hash for version in versions]
    for table in (BotEventRecord, ActiveVersionRecord):
        session.connection().execute(delete(table).where(col(table.bot_id) == bot.id))
    _delete(session, versions)
    session.connection().execute(delete(BotRecord).where(col(BotRecord.id) == bot.id))
    session.expire_all()
    return hashes


def remove_version(session: Session, version_id: str) -> list[str]:
    """Take a version of a bot that has others away, and return its content hash.

    The version that was active before it plays again. Raises NotFoundError, and BotError if anything names it, or if it
    is the only one of its bot.
    """
    version = get_version(session, version_id)
    bot = session.get_one(BotRecord, version.bot_id)
    what = f"{bot.name}@{version.content_hash[:12]}"
    _check_unnamed(session, bot, [version], what, f"arena bot withdraw {what}")
    if len(_versions(session, bot)) == 1:
        raise BotError(
            Text(
                "ratings.only_version_take_bot_away",
                "it is the only version of {bot}; take the bot away: arena bot remove {name}",
                bot=repr(bot.name),
                name=bot.name,
            )
        )
    content_hash, before = version.content_hash, version.predecessor
    followers = update(VersionRecord).where(
        col(VersionRecord.bot_id) == bot.id, col(VersionRecord.predecessor) == version.number
    )
    session.connection().execute(followers.values(predecessor=before))
    session.connection().execute(delete(BotEventRecord).where(col(BotEventRecord.version_id) == version.id))
    set_active(session, bot.id, read_lineage(session, bot.id).active)
    _delete(session, [version])
    session.expire_all()
    return [content_hash]


def rename_bot(session: Session, name: str, new: str) -> BotRecord:
    """Give a bot another name, `new` without that of its owner, and return it.

    Raises NotFoundError, AccountError for a name that cannot be, and BotError if it is taken, or if anything names the
    bot.
    """
    bot = get_bot(session, name)
    check_bot_name(new)
    whole = stored_bot_name(owner_name(session, bot), new)
    if session.exec(select(BotRecord.id).where(BotRecord.name == whole)).first() is not None:
        raise BotError(
            Text(
                "ratings.bot_already_choose_another_name",
                "there is a bot {name} already; choose another name",
                name=repr(whole),
            )
        )
    _check_unnamed(session, bot, _versions(session, bot), bot.name, f"arena bot disable {bot.name}")
    bot.name = whole
    session.add(bot)
    session.flush()
    return bot


def _versions(session: Session, bot: BotRecord) -> Sequence[VersionRecord]:
    return session.exec(select(VersionRecord).where(VersionRecord.bot_id == bot.id)).all()


def _check_unnamed(session: Session, bot: BotRecord, versions: Sequence[VersionRecord], what: str, remedy: str) -> None:
    """Raise BotError, which tells who names one of the versions or the bot, and how it is retired instead."""
    ids = [version.id for version in versions]
    found = (
        (
            Text("ratings.has_matches", "has matches"),
            select(MatchSeatRecord.match_id).where(col(MatchSeatRecord.version_id).in_(ids)),
        ),
        (
            Text("ratings.entered_tournament_ladder", "was entered in a tournament or ladder"),
            select(EntrantRecord.position).where(col(EntrantRecord.version_id).in_(ids)),
        ),
        (
            Text("ratings.handed_admitted", "was handed in to be admitted"),
            select(AdmissionRecord.id).where(col(AdmissionRecord.version_id).in_(ids)),
        ),
        (
            Text("ratings.was_annulled", "was annulled"),
            select(AnnulmentRecord.id).where(col(AnnulmentRecord.version_id).in_(ids)),
        ),
        (
            Text("ratings.guest_ladder", "is a guest of a ladder"),
            select(GuestRecord.bot_id).where(GuestRecord.bot_id == bot.id),
        ),
    )
    for why, query in found:
        if session.exec(query.limit(1)).first() is not None:
            raise BotError(
                Text(
                    "ratings.what_book_tells_bot_stays",
                    "{name} {why}, and what the book tells of a bot stays; retire it instead: {command}; its "
                    "successor is added beside it",
                    name=what,
                    why=why,
                    command=remedy,
                )
            )


def _delete(session: Session, versions: Sequence[VersionRecord]) -> None:
    ids = [version.id for version in versions]
    session.connection().execute(delete(AbsenceRecord).where(col(AbsenceRecord.version_id).in_(ids)))
    session.connection().execute(delete(VersionRecord).where(col(VersionRecord.id).in_(ids)))
