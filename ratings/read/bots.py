"""Bots, their owners and their immutable versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func
from sqlmodel import Session, col, select

from ratings.errors import AmbiguousError, NotFoundError
from ratings.store.lookups import get_bot, owner_name
from ratings.store.models import Bot, Owner, Version
from ratings.store.sessions import Source, read


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot with its newest version, for lists."""

    bot: Bot
    owner: str | None
    newest: Version
    versions: int


@dataclass(frozen=True, slots=True)
class BotDetail:
    """A bot with its owner and all its versions, the oldest first."""

    bot: Bot
    owner: str | None
    versions: Sequence[Version]


@dataclass(frozen=True, slots=True)
class NamedVersion:
    """A version, and its bot."""

    bot: Bot
    version: Version


def list_bots(source: Source) -> list[BotRow]:
    """Return all bots by name, disabled ones too."""
    newest = (
        select(Version.bot_id, func.max(Version.number).label("number"), func.count().label("versions"))
        .group_by(Version.bot_id)
        .subquery()
    )
    query = (
        select(Bot, Owner.name, Version, newest.c.versions)
        .join(newest, newest.c.bot_id == Bot.id)
        .join(Version, (col(Version.bot_id) == Bot.id) & (col(Version.number) == newest.c.number))
        .join(Owner, col(Owner.id) == col(Bot.owner_id), isouter=True)
        .order_by(Bot.name)
    )
    with read(source) as session:
        return [BotRow(*row) for row in session.exec(query).all()]


def bot_detail(source: Source, name: str) -> BotDetail:
    """Return the bot of that name, with all its versions. Raises NotFoundError, which lists some that exist."""
    with read(source) as session:
        bot = get_bot(session, name)
        return BotDetail(bot, owner_name(session, bot), _versions_of(session, bot))


def all_versions(source: Source) -> list[NamedVersion]:
    """Return every version of every bot, by name of the bot and then from the oldest on."""
    query = select(Bot, Version).join(Version, col(Version.bot_id) == Bot.id)
    with read(source) as session:
        return [NamedVersion(*row) for row in session.exec(query.order_by(Bot.name, col(Version.number)))]


def find_version(source: Source, text: str) -> NamedVersion:
    """Return the version named by `name` (the newest of that bot) or `name@prefix` (by content hash).

    Raises NotFoundError, AmbiguousError.
    """
    name, at, prefix = text.partition("@")
    with read(source) as session:
        bot = get_bot(session, name)
        versions = _versions_of(session, bot)
    return NamedVersion(bot, _by_hash(name, versions, prefix) if at else versions[-1])


def _by_hash(name: str, versions: Sequence[Version], prefix: str) -> Version:
    found = [version for version in versions if prefix and version.content_hash.startswith(prefix.lower())]
    if not found:
        known = ", ".join(version.content_hash[:12] for version in versions[-5:])
        raise NotFoundError(f"bot {name!r} has no version {prefix!r}; its newest are: {known}")
    if len(found) > 1:
        raise AmbiguousError(f"{len(found)} versions of {name!r} begin with {prefix!r}; give more digits")
    return found[0]


def _versions_of(session: Session, bot: Bot) -> Sequence[Version]:
    return session.exec(select(Version).where(Version.bot_id == bot.id).order_by(col(Version.number))).all()
