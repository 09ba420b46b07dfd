"""Rows by the names people give them, in an open session: what reading and writing both need."""

from __future__ import annotations

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from ratings.errors import NotFoundError
from ratings.store.models import BotRecord, OwnerRecord, TournamentRecord, VersionRecord

_BOT = select(BotRecord).where(col(BotRecord.name) == bindparam("name"))


def get_bot(session: Session, name: str) -> BotRecord:
    """Return the bot of that name. Raises NotFoundError, which lists some that exist."""
    bot = session.exec(_BOT, params={"name": name}).one_or_none()
    if bot is None:
        names = session.exec(select(BotRecord.name).order_by(BotRecord.name).limit(20)).all()
        there = f"there are: {', '.join(names)}" if names else "there are none yet"
        raise NotFoundError(f"no bot {name!r}; {there}; add one with: arena bot add DIRECTORY")
    return bot


def get_owner(session: Session, name: str) -> OwnerRecord:
    """Return the owner of that name. Raises NotFoundError."""
    owner = session.exec(select(OwnerRecord).where(OwnerRecord.name == name)).one_or_none()
    if owner is None:
        raise NotFoundError(f"no owner {name!r}; see: arena owner list")
    return owner


def get_version(session: Session, version_id: str) -> VersionRecord:
    """Return the version of that id. Raises NotFoundError."""
    version = session.get(VersionRecord, version_id)
    if version is None:
        raise NotFoundError(f"no version {version_id}; see: arena bot list")
    return version


def owner_name(session: Session, bot: BotRecord) -> str | None:
    """Return the name of the bot's owner, or `None` for a bot that was added locally."""
    owner = session.get(OwnerRecord, bot.owner_id) if bot.owner_id else None
    return owner.name if owner else None


def get_tournament(session: Session, tournament_id: str) -> TournamentRecord:
    """Return the tournament of that id. Raises NotFoundError."""
    tournament = session.get(TournamentRecord, tournament_id)
    if tournament is None:
        raise NotFoundError(f"no tournament {tournament_id}; see: arena tournament list")
    return tournament
