"""Rows by the names people give them, in an open session: what reading and writing both need."""

from __future__ import annotations

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine.text import Text
from ratings.errors import NotFoundError
from ratings.store.models import BotRecord, OwnerRecord, TournamentRecord, VersionRecord

_BOT = select(BotRecord).where(col(BotRecord.name) == bindparam("name"))


def get_bot(session: Session, name: str) -> BotRecord:
    """Return the bot of that name. Raises NotFoundError, which lists some that exist."""
    bot = session.exec(_BOT, params={"name": name}).one_or_none()
    if bot is None:
        names = session.exec(select(BotRecord.name).order_by(BotRecord.name).limit(20)).all()
        there = (
            Text("ratings.there_are", "there are: {names}", names=", ".join(names))
            if names
            else Text("ratings.none_yet", "there are none yet")
        )
        raise NotFoundError(
            Text(
                "ratings.no_bot_add_one_arena",
                "no bot {name}; {what}; add one with: arena bot add DIRECTORY",
                name=repr(name),
                what=there,
            )
        )
    return bot


def get_owner(session: Session, name: str) -> OwnerRecord:
    """Return the owner of that name. Raises NotFoundError."""
    owner = session.exec(select(OwnerRecord).where(OwnerRecord.name == name)).one_or_none()
    if owner is None:
        raise NotFoundError(
            Text("ratings.no_owner_see_arena_owner", "no owner {name}; see: arena owner list", name=repr(name))
        )
    return owner


def get_version(session: Session, version_id: str) -> VersionRecord:
    """Return the version of that id. Raises NotFoundError."""
    version = session.get(VersionRecord, version_id)
    if version is None:
        raise NotFoundError(
            Text("ratings.no_version_see_arena_bot", "no version {version}; see: arena bot list", version=version_id)
        )
    return version


def owner_name(session: Session, bot: BotRecord) -> str | None:
    """Return the name of the bot's owner, or `None` for a bot that was added locally."""
    owner = session.get(OwnerRecord, bot.owner_id) if bot.owner_id else None
    return owner.name if owner else None


def get_tournament(session: Session, tournament_id: str) -> TournamentRecord:
    """Return the tournament of that id. Raises NotFoundError."""
    tournament = session.get(TournamentRecord, tournament_id)
    if tournament is None:
        raise NotFoundError(
            Text(
                "ratings.no_tournament_see_arena_tournament",
                "no tournament {tournament}; see: arena tournament list",
                tournament=tournament_id,
            )
        )
    return tournament
