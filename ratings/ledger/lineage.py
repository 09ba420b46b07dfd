"""Writes what happens to bots and their versions, and which version of a bot is active."""

from __future__ import annotations

from sqlalchemy import func
from sqlmodel import Session, col, select

from engine.text import Text
from ratings.errors import BotError
from ratings.store.bot_events import ActiveVersionRecord, BotEventRecord, Lineage, lineage_of
from ratings.store.identifiers import now_us
from ratings.store.ladders import annulled, is_admitted
from ratings.store.lookups import get_bot, get_version
from ratings.store.models import BotRecord, VersionRecord, with_text
from ratings.values.states import BotEventKind

LONGEST_MESSAGE = 2000
"""The characters that the message of a submission, a promotion or a withdrawal may have: lists show it whole."""
NEWEST_IS_ACTIVE = Text(
    "ratings.newest_version_operator_own_bots", "the newest version of the operator's own bots is active"
)


def record_event(
    session: Session,
    bot_id: str,
    kind: BotEventKind,
    *,
    version_id: str | None = None,
    actor: str,
    message: str = "",
    at_us: int | None = None,
) -> BotEventRecord:
    """Write what happened to a bot, and, where it says so, which version is active from now on.

    Raises BotError for a message that nobody would read.
    """
    if len(message) > LONGEST_MESSAGE:
        raise BotError(
            Text(
                "ratings.message_characters_allowed_say_fewer",
                "the message has {length} characters, and {most} are allowed; say it in fewer words",
                length=len(message),
                most=LONGEST_MESSAGE,
            )
        )
    last = session.exec(select(func.max(BotEventRecord.number)).where(BotEventRecord.bot_id == bot_id)).one()
    event = BotEventRecord(
        bot_id=bot_id,
        number=0 if last is None else last + 1,
        kind=kind,
        version_id=version_id,
        at_us=now_us() if at_us is None else at_us,
        actor=actor,
        **with_text("message", message),
    )
    before = read_lineage(session, bot_id)
    session.add(event)
    set_active(session, bot_id, before.after(kind, version_id).active)
    return event


def read_lineage(session: Session, bot_id: str) -> Lineage:
    """Return which version of a bot is active, and which were before it."""
    query = select(BotEventRecord.kind, BotEventRecord.version_id).where(BotEventRecord.bot_id == bot_id)
    events = session.exec(query.order_by(col(BotEventRecord.number)))
    return lineage_of((BotEventKind(kind), version_id) for kind, version_id in events)


def set_active(session: Session, bot_id: str, version_id: str | None) -> None:
    """Write which version of a bot is active, as its events tell."""
    known = session.get(ActiveVersionRecord, bot_id)
    if version_id is None:
        if known is not None:
            session.delete(known)
    else:
        active = known or ActiveVersionRecord(bot_id=bot_id, version_id=version_id)
        active.version_id = version_id
        session.add(active)
    session.flush()


def promote(session: Session, version_id: str, *, actor: str, message: str = "") -> BotRecord:
    """Make a version the active one of its bot, if it is not. Return the bot.

    Raises NotFoundError, and BotError for a version that was withdrawn or annulled, for one of an owner that was not
    admitted, and for a remote one.
    """
    version = get_version(session, version_id)
    bot = session.get_one(BotRecord, version.bot_id)
    _check_may_be_active(session, bot, version)
    if read_lineage(session, bot.id).active != version_id:
        record_event(session, bot.id, BotEventKind.PROMOTED, version_id=version_id, actor=actor, message=message)
    return bot


def _check_may_be_active(session: Session, bot: BotRecord, version: VersionRecord) -> None:
    what = Text("ratings.version_of", "version {number} of {bot}", number=version.number, bot=repr(bot.name))
    if bot.remote:
        raise _is_remote(bot)
    if version.withdrawn_at_us is not None:
        raise BotError(
            Text(
                "ratings.withdrawn_submit_new_version_promote",
                "{what} was withdrawn; submit a new version, or promote another one",
                what=what,
            )
        )
    if annulled(session, [version.id]):
        raise BotError(
            Text(
                "ratings.annulled_organiser_submit_new_version",
                "{what} was annulled by the organiser; submit a new version, or promote another one",
                what=what,
            )
        )
    if bot.owner_id is not None and not is_admitted(session, version.id):
        raise BotError(
            Text(
                "ratings.not_admitted_see_why_arena",
                "{what} was not admitted; see why: arena bot show {name}",
                what=what,
                name=bot.name,
            )
        )


def _is_remote(bot: BotRecord) -> BotError:
    return BotError(
        Text(
            "ratings.remote_plays_version_joined_last",
            "{name} is remote, and plays with the version that joined last; join with another one",
            name=repr(bot.name),
        )
    )


def withdraw_version(session: Session, version_id: str, *, actor: str, message: str = "") -> BotRecord:
    """Take a version out for good, and return its bot, which has no active version if it was this one.

    A version that was withdrawn already stays as it is. Raises NotFoundError.
    """
    version = get_version(session, version_id)
    if version.withdrawn_at_us is None:
        version.withdrawn_at_us = now_us()
        session.add(version)
        record_event(
            session, version.bot_id, BotEventKind.WITHDRAWN, version_id=version_id, actor=actor, message=message
        )
    return session.get_one(BotRecord, version.bot_id)


def rollback(session: Session, bot_name: str, *, actor: str, message: str = "") -> VersionRecord:
    """Make the version active again that was active before, and return it.

    Raises NotFoundError, and BotError if there is none.
    """
    bot = get_bot(session, bot_name)
    if bot.remote:
        raise _is_remote(bot)
    lineage = read_lineage(session, bot.id)
    if not lineage.before:
        raise BotError(
            Text(
                "ratings.no_version_active_before_promote",
                "no version of {bot} was active before; promote one: arena bot promote {name}@HASH",
                bot=repr(bot.name),
                name=bot.name,
            )
        )
    version = get_version(session, lineage.before[-1])
    record_event(session, bot.id, BotEventKind.ROLLED_BACK, version_id=version.id, actor=actor, message=message)
    return version


def note_not_promoted(session: Session, version_id: str, *, actor: str, message: str) -> BotEventRecord:
    """Write that an admitted version did not become active, and why. Raises NotFoundError."""
    version = get_version(session, version_id)
    return record_event(
        session, version.bot_id, BotEventKind.NOT_PROMOTED, version_id=version_id, actor=actor, message=message
    )


def submit(session: Session, bot: BotRecord, version: VersionRecord, *, actor: str) -> None:
    """Write that a version was submitted; that of a bot without owner is active at once."""
    happened = [(BotEventKind.SUBMITTED, version.message)]
    if bot.owner_id is None:
        happened.append((BotEventKind.PROMOTED, NEWEST_IS_ACTIVE))
    for kind, message in happened:
        record_event(
            session, bot.id, kind, version_id=version.id, actor=actor, message=message, at_us=version.created_at_us
        )
