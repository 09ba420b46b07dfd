"""Writes remote bots: the bot and the version that join are found, or made at their first join."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.errors import BotError, LimitError
from ratings.ledger.bots import NewVersion, add_version, read_lineage, record_event
from ratings.store.bot_events import BotEventRecord
from ratings.store.identifiers import now_us
from ratings.store.ladder_queries import annulled
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.sessions import Source, read
from ratings.values.owners import ARENA, OwnerLimits, stored_bot_name
from ratings.values.pools import games_of
from ratings.values.states import BotEventKind

JOINED = Text("it joined")
MOST_CHANGES = 60
"""How often within an hour a bot may join with another version than before."""
_HOUR_US = 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class RemoteJoin:
    """A bot that its author runs elsewhere, as it says of itself when it joins."""

    owner: str
    name: str
    """Without the owner."""
    version: str
    """The author's own word for the version."""
    games: tuple[str, ...]

    @property
    def bot(self) -> str:
        """Return what everybody calls the bot."""
        return stored_bot_name(self.owner, self.name)

    @property
    def content_hash(self) -> str:
        """Return what stands in place of the hash of the files of a hosted version: there are none to be hashed."""
        return hashlib.sha256("\0".join(("remote", self.bot, self.version)).encode()).hexdigest()

    @property
    def manifest(self) -> dict[str, Any]:
        """Return what is known of the version."""
        return {"remote": True, "name": self.name, "version": self.version, "games": list(self.games)}


@dataclass(frozen=True, slots=True)
class JoinedVersion:
    """A remote version that may play."""

    version: VersionRecord
    is_new: bool
    has_changed: bool
    """Whether another version of the bot, or none, was active before."""


def join_remote(session: Session, join: RemoteJoin, limits: OwnerLimits) -> JoinedVersion:
    """Return the version that joins, which is the active one of its bot from now on; both are made if needed.

    Raises AccountError for a name that cannot be and for a disabled owner, BotKindError for a hosted bot, BotError for
    a disabled bot, a version that was withdrawn or annulled, and one that joined with other games before, LimitError if
    the owner has as many versions as he may have, or had as many new ones within the hour, or the bot has changed its
    version too often within it.
    """
    message = f"version {join.version}"
    new = NewVersion(join.name, join.content_hash, join.manifest, join.owner, message, actor=join.owner, remote=True)
    version, is_new = add_version(session, new, most_versions=limits.versions or None)
    bot = session.get_one(BotRecord, version.bot_id)
    if is_new:
        _check_new_of_hour(session, bot, limits.uploads_per_hour)
    _check_may_join(session, bot, version, join)
    has_changed = read_lineage(session, bot.id).active != version.id
    if has_changed:
        query = (
            select(func.count())
            .select_from(BotEventRecord)
            .where(BotEventRecord.bot_id == bot.id, BotEventRecord.message == JOINED)
        )
        changes = session.exec(query.where(BotEventRecord.at_us > now_us() - _HOUR_US)).one()
        if changes >= MOST_CHANGES:
            raise LimitError(
                Text(
                    "{name} has joined with another version than before {changes} times within the hour, and that is "
                    "the limit; stay with the version that joined last",
                    name=repr(bot.name),
                    changes=changes,
                )
            )
        record_event(session, bot.id, BotEventKind.PROMOTED, version_id=version.id, actor=ARENA, message=JOINED)
    return JoinedVersion(version, is_new, has_changed)


def find_joined(source: Source, join: RemoteJoin) -> JoinedVersion | None:
    """Return the version that joins if it is the active one of its bot already, so that nothing need be written.

    Raises BotError as `join_remote` does.
    """
    with read(source) as session:
        bot = session.exec(select(BotRecord).where(BotRecord.name == join.bot, col(BotRecord.remote))).one_or_none()
        active = None if bot is None else read_lineage(session, bot.id).active
        version = None if active is None else session.get_one(VersionRecord, active)
        if bot is None or version is None or version.content_hash != join.content_hash:
            return None
        _check_may_join(session, bot, version, join)
        return JoinedVersion(version, is_new=False, has_changed=False)


def _check_new_of_hour(session: Session, bot: BotRecord, most: int) -> None:
    """Raise LimitError if the owner made too many versions by joins: what an upload costs a hosted bot is free here."""
    query = select(func.count()).select_from(VersionRecord).join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    made = session.exec(
        query.where(
            BotRecord.owner_id == bot.owner_id, col(BotRecord.remote), VersionRecord.created_at_us > now_us() - _HOUR_US
        )
    ).one()
    if most and made > most:
        raise LimitError(
            Text(
                "{most} new versions of remote bots an hour are allowed; join again with a version that joined "
                "before, or later",
                most=most,
            )
        )


def _check_may_join(session: Session, bot: BotRecord, version: VersionRecord, join: RemoteJoin) -> None:
    what = Text("version {number} of {bot}", number=repr(join.version), bot=repr(bot.name))
    owner = session.get(OwnerRecord, bot.owner_id)
    if bot.disabled_at_us is not None:
        raise BotError(
            Text(
                "bot {bot} is disabled; let it in again: arena bot disable {name} --undo",
                bot=repr(bot.name),
                name=bot.name,
            )
        )
    if owner is not None and owner.disabled_at_us is not None:
        raise BotError(Text("owner {owner} is disabled; ask the organiser", owner=repr(owner.name)))
    if version.withdrawn_at_us is not None:
        raise BotError(Text("{what} was withdrawn; join with another version", what=what))
    if annulled(session, [version.id]):
        raise BotError(Text("{what} was annulled by the organiser; join with another version", what=what))
    if set(games := games_of(version.manifest)) != set(join.games):
        raise BotError(
            Text(
                "{what} joined for {games} before, and a version never changes; give it another version",
                what=what,
                games=", ".join(games),
            )
        )
