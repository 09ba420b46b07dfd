"""Writes bots and their immutable versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from engine.text import Text
from ratings.errors import BotError, BotKindError, LimitError
from ratings.ledger.accounts import owner_for
from ratings.ledger.lineage import read_lineage, record_event, submit
from ratings.store.identifiers import check_bot_name, new_id, now_us
from ratings.store.lookups import get_bot
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.values.owners import OPERATOR, stored_bot_name
from ratings.values.states import BotEventKind


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
    bot = _bot_for(session, new)
    same = select(VersionRecord).where(VersionRecord.bot_id == bot.id, VersionRecord.content_hash == new.content_hash)
    known = session.exec(same).one_or_none()
    if known is not None:
        known.files_removed_at_us = None  # whoever adds a version has stored its files
        session.add(known)
        return known, False
    _check_most(session, bot, most_versions)
    version = _write_version(session, bot, new)
    submit(session, bot, version, actor=new.actor)
    return version, True


def _bot_for(session: Session, new: NewVersion) -> BotRecord:
    check_bot_name(new.bot)
    owner: OwnerRecord | None = None if new.owner is None else owner_for(session, new.owner)
    name = stored_bot_name(new.owner, new.bot)
    bot = session.exec(select(BotRecord).where(BotRecord.name == name)).one_or_none()
    if bot is None:
        made_at_us, owner_id = now_us(), owner.id if owner else None
        bot = BotRecord(id=new_id(), name=name, owner_id=owner_id, created_at_us=made_at_us, remote=new.remote)
        session.add(bot)
        session.flush()
    _check_kind(bot, remote=new.remote)
    return bot


def _check_kind(bot: BotRecord, *, remote: bool) -> None:
    if bot.remote and not remote:
        raise BotKindError(
            Text(
                "ratings.bot_remote_author_runs_elsewhere",
                "bot {name} is remote: its author runs it elsewhere, and that never changes; choose another name "
                "in bot.toml, or let it join: arena bot connect DIRECTORY",
                name=repr(bot.name),
            )
        )
    if remote and not bot.remote:
        raise BotKindError(
            Text(
                "ratings.bot_hosted_arena_runs_never",
                "bot {name} is hosted: the arena runs it, and that never changes; join under another name "
                "(--name), or hand in a new version: arena bot submit DIRECTORY",
                name=repr(bot.name),
            )
        )


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
                "ratings.owner_versions_limit_ask_organiser",
                "owner {owner} has {count} versions, and {most} is the limit; ask the organiser for a higher "
                "one: arena owner limit {name} --versions N",
                owner=repr(owner),
                count=count,
                most=most,
                name=owner,
            )
        )


def _write_version(session: Session, bot: BotRecord, new: NewVersion) -> VersionRecord:
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
    session.add(version)
    session.flush()
    return version


def _predecessor(session: Session, bot: BotRecord, wanted: int | None, newest: int) -> int | None:
    if wanted is not None:
        if not 1 <= wanted <= newest:
            raise BotError(
                Text(
                    "ratings.bot_no_version_see_arena",
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
