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
from ratings.store.annulment import Annulment
from ratings.store.bot_event import ActiveVersion, BotEvent
from ratings.store.lookups import get_bot, get_version, owner_name
from ratings.store.models import Bot, Entrant, MatchSeat, Version
from ratings.store.names import check_bot_name
from ratings.store.service import Absence, Admission, Guest
from ratings.values.names import stored_bot_name


def remove_bot(session: Session, name: str) -> list[str]:
    """Take a bot away with all its versions and its history, and return the content hashes of these.

    Raises NotFoundError, and BotError if anything names one of them.
    """
    bot = get_bot(session, name)
    versions = _versions(session, bot)
    _check_unnamed(session, bot, versions, bot.name, f"arena bot disable {bot.name}")
    hashes = [version.content_hash for version in versions]
    for table in (BotEvent, ActiveVersion):
        session.connection().execute(delete(table).where(col(table.bot_id) == bot.id))
    _delete(session, versions)
    session.connection().execute(delete(Bot).where(col(Bot.id) == bot.id))
    session.expire_all()
    return hashes


def remove_version(session: Session, version_id: str) -> list[str]:
    """Take a version of a bot that has others away, and return its content hash.

    The version that was active before it plays again. Raises NotFoundError, and BotError if anything names it, or if it
    is the only one of its bot.
    """
    version = get_version(session, version_id)
    bot = session.get_one(Bot, version.bot_id)
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
    followers = update(Version).where(col(Version.bot_id) == bot.id, col(Version.predecessor) == version.number)
    session.connection().execute(followers.values(predecessor=before))
    session.connection().execute(delete(BotEvent).where(col(BotEvent.version_id) == version.id))
    set_active(session, bot.id, read_lineage(session, bot.id).active)
    _delete(session, [version])
    session.expire_all()
    return [content_hash]


def rename_bot(session: Session, name: str, new: str) -> Bot:
    """Give a bot another name, `new` without that of its owner, and return it.

    Raises NotFoundError, AccountError for a name that cannot be, and BotError if it is taken, or if anything names the
    bot.
    """
    bot = get_bot(session, name)
    check_bot_name(new)
    whole = stored_bot_name(owner_name(session, bot), new)
    if session.exec(select(Bot.id).where(Bot.name == whole)).first() is not None:
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


def _versions(session: Session, bot: Bot) -> Sequence[Version]:
    return session.exec(select(Version).where(Version.bot_id == bot.id)).all()


def _check_unnamed(session: Session, bot: Bot, versions: Sequence[Version], what: str, remedy: str) -> None:
    """Raise BotError, which tells who names one of the versions or the bot, and how it is retired instead."""
    ids = [version.id for version in versions]
    found = (
        (
            Text("ratings.has_matches", "has matches"),
            select(MatchSeat.match_id).where(col(MatchSeat.version_id).in_(ids)),
        ),
        (
            Text("ratings.entered_tournament_ladder", "was entered in a tournament or ladder"),
            select(Entrant.position).where(col(Entrant.version_id).in_(ids)),
        ),
        (
            Text("ratings.handed_admitted", "was handed in to be admitted"),
            select(Admission.id).where(col(Admission.version_id).in_(ids)),
        ),
        (Text("ratings.was_annulled", "was annulled"), select(Annulment.id).where(col(Annulment.version_id).in_(ids))),
        (Text("ratings.guest_ladder", "is a guest of a ladder"), select(Guest.bot_id).where(Guest.bot_id == bot.id)),
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


def _delete(session: Session, versions: Sequence[Version]) -> None:
    ids = [version.id for version in versions]
    session.connection().execute(delete(Absence).where(col(Absence.version_id).in_(ids)))
    session.connection().execute(delete(Version).where(col(Version.id).in_(ids)))
