"""Owners, bots and their immutable versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from ratings.errors import AmbiguousError, BotError, NotFoundError
from ratings.store.ids import new_id, now_us
from ratings.store.models import Bot, Owner, Version


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot with its newest version, for lists."""

    bot: Bot
    owner: str | None
    newest: Version
    versions: int


def add_version(
    session: Session, *, bot: str, owner: str | None = None, content_hash: str, manifest: Mapping[str, Any]
) -> tuple[Version, bool]:
    """The version of bot `bot` with that content, and whether it is new. Bot and owner are made if needed.

    Content that the bot had before is that version again, unchanged. Raises BotError if the bot is another owner's.
    """
    holder = _bot_of(session, bot, owner)
    known = session.exec(
        select(Version).where(Version.bot_id == holder.id, Version.content_hash == content_hash)
    ).one_or_none()
    if known is not None:
        return known, False
    newest = session.exec(select(func.max(Version.number)).where(Version.bot_id == holder.id)).one()
    version = Version(
        id=new_id(),
        bot_id=holder.id,
        number=(newest or 0) + 1,
        content_hash=content_hash,
        manifest=dict(manifest),
        created_at_us=now_us(),
    )
    session.add(version)
    session.flush()
    return version, True


def _bot_of(session: Session, name: str, owner: str | None) -> Bot:
    owner_id = None if owner is None else _owner_of(session, owner).id
    bot = session.exec(select(Bot).where(Bot.name == name)).one_or_none()
    if bot is None:
        bot = Bot(id=new_id(), name=name, owner_id=owner_id, created_at_us=now_us())
        session.add(bot)
        session.flush()
    elif bot.owner_id != owner_id:
        raise BotError(
            f"the name {name!r} belongs to a bot of {owner_name(session, bot) or 'nobody'}; take another name"
        )
    return bot


def _owner_of(session: Session, name: str) -> Owner:
    owner = session.exec(select(Owner).where(Owner.name == name)).one_or_none()
    if owner is None:
        owner = Owner(id=new_id(), name=name, created_at_us=now_us())
        session.add(owner)
        session.flush()
    return owner


def owner_name(session: Session, bot: Bot) -> str | None:
    """The name of the bot's owner; None for a bot added locally."""
    owner = session.get(Owner, bot.owner_id) if bot.owner_id else None
    return owner.name if owner else None


def get_bot(session: Session, name: str) -> Bot:
    """The bot of that name. Raises NotFoundError naming those there are."""
    bot = session.exec(select(Bot).where(Bot.name == name)).one_or_none()
    if bot is None:
        names = session.exec(select(Bot.name).order_by(Bot.name).limit(20)).all()
        there = f"there are: {', '.join(names)}" if names else "there are none yet"
        raise NotFoundError(f"no bot {name!r}; {there}; add one with: arena bot add DIRECTORY")
    return bot


def list_bots(session: Session) -> list[BotRow]:
    """All bots by name, disabled ones too."""
    newest = (
        select(Version.bot_id, func.max(Version.number).label("number"), func.count().label("versions"))
        .group_by(Version.bot_id)
        .subquery()
    )
    rows = session.exec(
        select(Bot, Owner.name, Version, newest.c.versions)
        .join(newest, newest.c.bot_id == Bot.id)
        .join(Version, (col(Version.bot_id) == Bot.id) & (col(Version.number) == newest.c.number))
        .join(Owner, col(Owner.id) == col(Bot.owner_id), isouter=True)
        .order_by(Bot.name)
    ).all()
    return [BotRow(*row) for row in rows]


def versions_of(session: Session, bot: Bot) -> Sequence[Version]:
    """All versions of a bot, the oldest first."""
    return session.exec(select(Version).where(Version.bot_id == bot.id).order_by(col(Version.number))).all()


def resolve_version(session: Session, text: str) -> Version:
    """The version named by `name` (the newest) or `name@prefix` (by content hash).

    Raises NotFoundError, AmbiguousError.
    """
    name, at, prefix = text.partition("@")
    versions = versions_of(session, get_bot(session, name))
    if not at:
        return versions[-1]
    found = [version for version in versions if prefix and version.content_hash.startswith(prefix.lower())]
    if not found:
        known = ", ".join(version.content_hash[:12] for version in versions[-5:])
        raise NotFoundError(f"bot {name!r} has no version {prefix!r}; its newest are: {known}")
    if len(found) > 1:
        raise AmbiguousError(f"{len(found)} versions of {name!r} begin with {prefix!r}; give more digits")
    return found[0]


def set_disabled(session: Session, *, bot: str, disabled: bool) -> Bot:
    """Bar a bot from new tournaments, or let it in again; matches already planned are played. Raises NotFoundError."""
    found = get_bot(session, bot)
    if disabled != (found.disabled_at_us is not None):
        found.disabled_at_us = now_us() if disabled else None
        session.add(found)
        session.flush()
    return found
