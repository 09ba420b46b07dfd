"""Bots, their owners and their immutable versions, and which versions' files are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.errors import AmbiguousError, NotFoundError
from ratings.read.identifying import holds_part, listed
from ratings.read.paging import Order, cut, each, one_page
from ratings.store import tables
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.sessions import Source, get_bot, owner_name, read
from ratings.values.page import DEFAULT_LIMIT, Page

_BOTS = Order("bots", (tables.bot.c.id,), (str,))
_BY_NAME = Order("bots by name", (tables.bot.c.name,), (str,), is_descending=False)
_VERSIONS = Order("versions", (tables.version.c.number,), (int,))
_MANY = tables.version.alias("many")
_NEWEST = (
    select(VersionRecord, select(func.count()).where(_MANY.c.bot_id == bindparam("bot")).scalar_subquery())
    .where(col(VersionRecord.bot_id) == bindparam("bot"))
    .order_by(col(VersionRecord.number).desc())
    .limit(1)
)
_MOST_NAMED = 5
_HASH_DIGITS = 64


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot with its owner, its newest version, and how many versions it has."""

    bot: BotRecord
    owner: str | None
    newest: VersionRecord
    versions: int


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version, and its bot."""

    bot: BotRecord
    version: VersionRecord


def list_bots(
    source: Source, *, owner_id: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[BotRow]:
    """Return a page of the bots, those added last first, disabled ones too; all of them, or those of one owner.

    Raises PageError.
    """
    query = select(BotRecord, OwnerRecord.name).join(
        OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True
    )
    if owner_id is not None:
        query = query.where(BotRecord.owner_id == owner_id)
    with read(source) as session:
        found = session.exec(one_page(query, _BOTS, limit, after)).all()
        page = cut(found, _BOTS, limit, lambda row: (row[0].id,))
        newest = _newest_of_all(session, [bot for bot, _ in page.items])
        return each(page, lambda row: BotRow(*row, *newest[row[0].id]))


def search_bots(
    source: Source, text: str, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[BotRow]:
    """Return a page of the bots whose names hold a text, in any case of letters, by name. Raises PageError."""
    query = select(BotRecord, OwnerRecord.name).join(
        OwnerRecord, col(OwnerRecord.id) == col(BotRecord.owner_id), isouter=True
    )
    if text:
        query = query.where(col(BotRecord.name).icontains(text, autoescape=True))
    with read(source) as session:
        found = session.exec(one_page(query, _BY_NAME, limit, after)).all()
        page = cut(found, _BY_NAME, limit, lambda row: (row[0].name,))
        newest = _newest_of_all(session, [bot for bot, _ in page.items])
        return each(page, lambda row: BotRow(*row, *newest[row[0].id]))


def count_bots(source: Source) -> int:
    """Return how many bots there are, disabled ones too."""
    with read(source) as session:
        return session.exec(select(func.count()).select_from(BotRecord)).one()


def bot_names(source: Source) -> list[str]:
    """Return the names of all bots, sorted."""
    with read(source) as session:
        return list(session.exec(select(BotRecord.name).order_by(BotRecord.name)))


def list_versions(
    source: Source, bot: str, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[VersionRecord]:
    """Return a page of the versions of the bot of that name, the newest first. Raises NotFoundError, PageError."""
    with read(source) as session:
        query = select(VersionRecord).where(VersionRecord.bot_id == get_bot(session, bot).id)
        found = session.exec(one_page(query, _VERSIONS, limit, after)).all()
        return cut(found, _VERSIONS, limit, lambda version: (version.number,))


def bot_detail(source: Source, name: str) -> BotRow:
    """Return the bot of that name. Raises NotFoundError, which lists some that exist."""
    with read(source) as session:
        bot = get_bot(session, name)
        return BotRow(bot, owner_name(session, bot), *_newest_of(session, bot))


def is_owner_disabled(source: Source, bot: BotRecord) -> bool:
    """Return whether the bot has an owner who is barred from the service."""
    with read(source) as session:
        owner = session.get(OwnerRecord, bot.owner_id) if bot.owner_id else None
        return owner is not None and owner.disabled_at_us is not None


def all_versions(source: Source) -> list[VersionRow]:
    """Return every version of every bot, by name of the bot and then from the oldest on."""
    query = select(BotRecord, VersionRecord).join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
    with read(source) as session:
        return [VersionRow(*row) for row in session.exec(query.order_by(BotRecord.name, col(VersionRecord.number)))]


def named_versions(source: Source, version_ids: Collection[str]) -> dict[str, VersionRow]:
    """Return these versions with their bots, by the version's id."""
    query = (
        select(BotRecord, VersionRecord)
        .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
        .where(col(VersionRecord.id).in_(version_ids))
    )
    with read(source) as session:
        return {version.id: VersionRow(bot, version) for bot, version in session.exec(query)}


def held_versions(source: Source) -> list[str]:
    """Return the content hashes of all versions whose files are kept, sorted, each once; remote ones have none."""
    version, bot = tables.version, tables.bot
    query = core_select(version.c.content_hash).join(bot, bot.c.id == version.c.bot_id)
    query = query.where(version.c.files_removed_at_us.is_(None), ~bot.c.remote)
    with read(source) as session:
        return list(session.connection().execute(query.distinct().order_by(version.c.content_hash)).scalars())


def is_held(source: Source, content_hash: str) -> bool:
    """Return whether a version has these files, and they are to be kept."""
    version = tables.version
    query = core_select(version.c.id).where(
        version.c.content_hash == content_hash, version.c.files_removed_at_us.is_(None)
    )
    with read(source) as session:
        return session.connection().execute(query.limit(1)).first() is not None


def find_version(source: Source, text: str) -> VersionRow:
    """Return the version named by `name` (the newest of that bot) or `name@part` (by any part of its content hash).

    Raises NotFoundError, AmbiguousError.
    """
    name, at, part = text.partition("@")
    with read(source) as session:
        bot = get_bot(session, name)
        return VersionRow(bot, _by_hash(session, bot, part) if at else _newest_of(session, bot)[0])


def _by_hash(session: Session, bot: BotRecord, part: str) -> VersionRecord:
    wanted, is_part = part.lower(), 0 < len(part) <= _HASH_DIGITS
    of_bot = select(VersionRecord).where(VersionRecord.bot_id == bot.id).order_by(col(VersionRecord.number).desc())
    holding = session.exec(of_bot.where(holds_part(VersionRecord.content_hash, wanted))).all() if is_part else []
    found = [version for version in holding if version.content_hash.startswith(wanted)] or holding
    if not found:
        newest = session.exec(of_bot.limit(_MOST_NAMED)).all()
        known = ", ".join(version.content_hash[:12] for version in reversed(newest))
        raise NotFoundError(
            Text(
                "bot {bot} has no version {version}; its newest are: {known}",
                bot=repr(bot.name),
                version=repr(part),
                known=known,
            )
        )
    if len(found) > 1:
        known = listed([(version.content_hash[:12], f"version {version.number}") for version in found])
        raise AmbiguousError(
            Text(
                "{count} versions of {bot} have {part}: {known}; give more digits",
                count=len(found),
                bot=repr(bot.name),
                part=repr(part),
                known=known,
            )
        )
    return found[0]


def _newest_of(session: Session, bot: BotRecord) -> tuple[VersionRecord, int]:
    version, count = session.exec(_NEWEST, params={"bot": bot.id}).one()
    return version, count


def _newest_of_all(session: Session, bots: Sequence[BotRecord]) -> dict[str, tuple[VersionRecord, int]]:
    """Return the newest version of each bot, and how many it has, by the bot's id."""
    ids = [bot.id for bot in bots]
    counted = select(VersionRecord.bot_id, func.max(VersionRecord.number).label("number"), func.count().label("count"))
    last = counted.where(col(VersionRecord.bot_id).in_(ids)).group_by(VersionRecord.bot_id).subquery()
    query = select(VersionRecord, last.c.count).join(
        last, (last.c.bot_id == VersionRecord.bot_id) & (last.c.number == VersionRecord.number)
    )
    return {version.bot_id: (version, count) for version, count in session.exec(query)}
