"""Writes bots, their immutable versions and runtimes: what is added, promoted, withdrawn, removed or renamed.

Facts are only ever added, and archives, replays and notices name bots as they were called. So removing and renaming is
only for what was added by mistake: nothing that took part in a tournament, a ladder or an admission, or was annulled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.errors import BotError, BotKindError, LimitError
from ratings.ledger.accounts import owner_for
from ratings.store.bot_events import ActiveVersionRecord, BotEventRecord, Lineage, lineage_of
from ratings.store.bot_runtimes import RuntimeRecord
from ratings.store.identifiers import check_bot_name, new_id, now_us
from ratings.store.ladder_queries import annulled, is_admitted
from ratings.store.models import (
    AnnulmentRecord,
    BotRecord,
    EntrantRecord,
    MatchSeatRecord,
    OwnerRecord,
    VersionRecord,
    with_text,
)
from ratings.store.service import AbsenceRecord, AdmissionRecord, GuestRecord
from ratings.store.sessions import get_bot, get_version, owner_name, save
from ratings.values.owners import OPERATOR, stored_bot_name
from ratings.values.states import BotEventKind

LONGEST_MESSAGE = 2000
"""The characters that the message of a submission, a promotion or a withdrawal may have: lists show it whole."""
NEWEST_IS_ACTIVE = Text("the newest version of the operator's own bots is active")


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that somebody submits."""

    bot: str
    """The name of its bot, as its manifest states it."""
    content_hash: str
    manifest: Mapping[str, Any]
    owner: str | None = None
    """Whose bot it is, by name; `None` for the operator's own."""
    message: str = ""
    """What its author says has changed."""
    predecessor: int | None = None
    """The number of the version that it is to replace; `None`: the one that is active."""
    actor: str = OPERATOR
    remote: bool = False
    """Whether its author runs it elsewhere; then it has no files, and its content hash stands for its name."""


def add_version(session: Session, new: NewVersion, *, most_versions: int | None = None) -> tuple[VersionRecord, bool]:
    """Return the version of that bot with that content, and whether it is new; bot and owner are made if needed.

    Content that the bot had before is that version again, unchanged. Raises AccountError for a name that cannot be and
    for a disabled owner, BotKindError for a hosted bot that is to be remote and the other way round, BotError for a
    predecessor that does not exist, LimitError if the owner has `most_versions` already.
    """
    check_bot_name(new.bot)
    owner: OwnerRecord | None = None if new.owner is None else owner_for(session, new.owner)
    name = stored_bot_name(new.owner, new.bot)
    bot = session.exec(select(BotRecord).where(BotRecord.name == name)).one_or_none()
    if bot is None:
        made_at_us, owner_id = now_us(), owner.id if owner else None
        bot = BotRecord(id=new_id(), name=name, owner_id=owner_id, created_at_us=made_at_us, remote=new.remote)
        save(session, bot)
    if bot.remote and not new.remote:
        raise BotKindError(
            Text(
                "bot {name} is remote: its author runs it elsewhere, and that never changes; choose another name "
                "in bot.toml, or let it join: arena bot connect DIRECTORY",
                name=repr(bot.name),
            )
        )
    if new.remote and not bot.remote:
        raise BotKindError(
            Text(
                "bot {name} is hosted: the arena runs it, and that never changes; join under another name "
                "(--name), or hand in a new version: arena bot submit DIRECTORY",
                name=repr(bot.name),
            )
        )
    same = select(VersionRecord).where(VersionRecord.bot_id == bot.id, VersionRecord.content_hash == new.content_hash)
    known = session.exec(same).one_or_none()
    if known is not None:
        known.files_removed_at_us = None  # whoever adds a version has stored its files
        session.add(known)
        return known, False
    _check_most(session, bot, most_versions)
    newest = session.exec(select(func.max(VersionRecord.number)).where(VersionRecord.bot_id == bot.id)).one() or 0
    version = VersionRecord(
        id=new_id(),
        bot_id=bot.id,
        number=newest + 1,
        content_hash=new.content_hash,
        manifest=dict(new.manifest),
        created_at_us=now_us(),
        message=new.message,
        predecessor=_predecessor(session, bot, new.predecessor, newest),
    )
    save(session, version)
    submit(session, bot, version, actor=new.actor)
    return version, True


def _check_most(session: Session, bot: BotRecord, most: int | None) -> None:
    if most is None or bot.owner_id is None:
        return
    versions = (
        select(func.count()).select_from(VersionRecord).join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    )
    count = session.exec(versions.where(BotRecord.owner_id == bot.owner_id)).one()
    if count >= most:
        owner = bot.name.partition("/")[0]
        raise LimitError(
            Text(
                "owner {owner} has {count} versions, and {most} is the limit; ask the organiser for a higher "
                "one: arena owner limit {name} --versions N",
                owner=repr(owner),
                count=count,
                most=most,
                name=owner,
            )
        )


def _predecessor(session: Session, bot: BotRecord, wanted: int | None, newest: int) -> int | None:
    if wanted is not None:
        if not 1 <= wanted <= newest:
            raise BotError(
                Text(
                    "bot {bot} has no version {version}; see: arena bot show {name}",
                    bot=repr(bot.name),
                    version=wanted,
                    name=bot.name,
                )
            )
        return wanted
    active = read_lineage(session, bot.id).active
    return None if active is None else session.get_one(VersionRecord, active).number


def set_disabled(session: Session, *, bot: str, disabled: bool, actor: str = OPERATOR, message: str = "") -> BotRecord:
    """Bar a bot from new tournaments, or let it in again; matches already planned are played. Raises NotFoundError."""
    found = get_bot(session, bot)
    if disabled != (found.disabled_at_us is not None):
        found.disabled_at_us = now_us() if disabled else None
        session.add(found)
        kind = BotEventKind.DISABLED if disabled else BotEventKind.ENABLED
        record_event(session, found.id, kind, actor=actor, message=message)
    return found


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
    what = Text("version {number} of {bot}", number=version.number, bot=repr(bot.name))
    if bot.remote:
        raise _is_remote(bot)
    if version.withdrawn_at_us is not None:
        raise BotError(Text("{what} was withdrawn; submit a new version, or promote another one", what=what))
    if annulled(session, [version.id]):
        raise BotError(
            Text("{what} was annulled by the organiser; submit a new version, or promote another one", what=what)
        )
    if bot.owner_id is not None and not is_admitted(session, version.id):
        raise BotError(Text("{what} was not admitted; see why: arena bot show {name}", what=what, name=bot.name))
    if read_lineage(session, bot.id).active != version_id:
        record_event(session, bot.id, BotEventKind.PROMOTED, version_id=version_id, actor=actor, message=message)
    return bot


def _is_remote(bot: BotRecord) -> BotError:
    return BotError(
        Text(
            "{name} is remote, and plays with the version that joined last; join with another one", name=repr(bot.name)
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
        raise BotError(Text("there is a bot {name} already; choose another name", name=repr(whole)))
    _check_unnamed(session, bot, _versions(session, bot), bot.name, f"arena bot disable {bot.name}")
    bot.name = whole
    return save(session, bot)


def _versions(session: Session, bot: BotRecord) -> Sequence[VersionRecord]:
    return session.exec(select(VersionRecord).where(VersionRecord.bot_id == bot.id)).all()


def _check_unnamed(session: Session, bot: BotRecord, versions: Sequence[VersionRecord], what: str, remedy: str) -> None:
    """Raise BotError, which tells who names one of the versions or the bot, and how it is retired instead."""
    ids = [version.id for version in versions]
    found = (
        (Text("has matches"), select(MatchSeatRecord.match_id).where(col(MatchSeatRecord.version_id).in_(ids))),
        (
            Text("was entered in a tournament or ladder"),
            select(EntrantRecord.position).where(col(EntrantRecord.version_id).in_(ids)),
        ),
        (
            Text("was handed in to be admitted"),
            select(AdmissionRecord.id).where(col(AdmissionRecord.version_id).in_(ids)),
        ),
        (Text("was annulled"), select(AnnulmentRecord.id).where(col(AnnulmentRecord.version_id).in_(ids))),
        (Text("is a guest of a ladder"), select(GuestRecord.bot_id).where(GuestRecord.bot_id == bot.id)),
    )
    for why, query in found:
        if session.exec(query.limit(1)).first() is not None:
            raise BotError(
                Text(
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


class DescribedRuntime(Protocol):
    """What a runtime consists of."""

    @property
    def name(self) -> str:
        """Its name, as a bot's `bot.toml` has it."""

    @property
    def kind(self) -> str:
        """What it is made of."""

    @property
    def contents(self) -> Mapping[str, Any]:
        """The versions of the program and of the packages in it, ready for JSON."""


def note_runtimes(session: Session, described: Mapping[str, DescribedRuntime]) -> None:
    """Add those that are not known yet, by hash; a hash never changes its meaning."""
    known = set(session.exec(select(RuntimeRecord.hash).where(col(RuntimeRecord.hash).in_(described))))
    for hash_, one in described.items():
        if hash_ not in known:
            session.add(
                RuntimeRecord(
                    hash=hash_, name=one.name, kind=one.kind, contents=dict(one.contents), seen_at_us=now_us()
                )
            )
