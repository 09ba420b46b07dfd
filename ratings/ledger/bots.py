"""Writes owners, bots and their immutable versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, select

from ratings.errors import BotError
from ratings.store.ids import new_id, now_us
from ratings.store.lookups import get_bot, owner_name
from ratings.store.models import Bot, Owner, Version


def add_version(
    session: Session, *, bot: str, owner: str | None = None, content_hash: str, manifest: Mapping[str, Any]
) -> tuple[Version, bool]:
    """Return the version of bot `bot` with that content, and whether it is new; bot and owner are made if needed.

    Content that the bot had before is that version again, unchanged. Raises BotError if the bot belongs to another
    owner.
    """
    holder = _bot_of(session, bot, owner)
    known = session.exec(
        select(Version).where(Version.bot_id == holder.id, Version.content_hash == content_hash)
    ).one_or_none()
    if known is not None:
        return known, False
    return _new_version(session, holder, content_hash, manifest), True


def _new_version(session: Session, bot: Bot, content_hash: str, manifest: Mapping[str, Any]) -> Version:
    newest = session.exec(select(func.max(Version.number)).where(Version.bot_id == bot.id)).one()
    version = Version(
        id=new_id(),
        bot_id=bot.id,
        number=(newest or 0) + 1,
        content_hash=content_hash,
        manifest=dict(manifest),
        created_at_us=now_us(),
    )
    session.add(version)
    session.flush()
    return version


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


def set_disabled(session: Session, *, bot: str, disabled: bool) -> Bot:
    """Bar a bot from new tournaments, or let it in again; matches already planned are played. Raises NotFoundError."""
    found = get_bot(session, bot)
    if disabled != (found.disabled_at_us is not None):
        found.disabled_at_us = now_us() if disabled else None
        session.add(found)
        session.flush()
    return found
