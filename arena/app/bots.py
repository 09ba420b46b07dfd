"""The bots of a database and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from arena.app.lookup import find_version
from arena.app.policy import AppContext, actor_of, need_own_bot
from arena.model.bots import BotDetail, BotEvent, BotSummary, BotVersion, BuildLog, NamedVersion, RemovedBot
from arena.model.errors import UnknownError
from engine.text import Text, text_from_json
from ratings.read import bots
from ratings.read.bots import BotRow, is_held
from ratings.store.models import VersionRecord
from ratings.values.page import DEFAULT_LIMIT, Page

if TYPE_CHECKING:
    from ratings.ledger.ledger import Ledger
    from ratings.ledger.service import ServiceLedger
    from ratings.read.active_versions import EventRow


def _ledger(context: AppContext) -> Ledger:
    """Return the ledger, which is imported only where something is written: who looks at bots does not pay for it."""
    from ratings.ledger.ledger import Ledger

    return Ledger(context.database)


def _service_ledger(context: AppContext) -> ServiceLedger:
    from ratings.ledger.service import ServiceLedger

    return ServiceLedger(context.database)


class LocalBots:
    """Implements the interface `arena.model.port.Bots`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_bots(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        page = bots.list_bots(self._context.database, limit=limit, after=after)
        return Page(tuple(map(bot_summary, page.items)), page.next)

    def get_bot(self, name: str) -> BotDetail:
        found = find_version(self._context, name)
        return self._detail(bots.bot_detail(self._context.database, found.bot.name))

    def list_versions(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotVersion]:
        found = find_version(self._context, name)
        page = bots.list_versions(self._context.database, found.bot.name, limit=limit, after=after)
        return Page(tuple(self._version(version, found.bot.remote) for version in page.items), page.next)

    def find_version(self, text: str) -> NamedVersion:
        found = find_version(self._context, text)
        return NamedVersion(found.bot.name, found.version.id, found.version.number, found.version.content_hash)

    def set_disabled(self, name: str, disabled: bool) -> str:
        bot = find_version(self._context, name).bot
        need_own_bot(self._context.viewer, bot, Text("app.bar_let", "bar it or let it in"))
        return (
            _ledger(self._context).set_disabled(bot.name, disabled=disabled, actor=actor_of(self._context.viewer)).name
        )

    def remove_bot(self, text: str) -> RemovedBot:

        return remove(self._context, text)

    def rename_bot(self, name: str, new_name: str) -> BotDetail:

        return self.get_bot(rename(self._context, name, new_name))

    def list_events(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotEvent]:

        return list_events(self._context, name, limit, after)

    def get_build_log(self, text: str) -> BuildLog:

        return build_log(self._context, text)

    def promote_version(self, text: str, message: str = "") -> BotDetail:

        return self.get_bot(promote(self._context, text, message))

    def withdraw_version(self, text: str, message: str = "") -> BotDetail:

        return self.get_bot(withdraw(self._context, text, message))

    def roll_back(self, name: str, message: str = "") -> BotDetail:

        return self.get_bot(roll_back(self._context, name, message))

    def _detail(self, row: BotRow) -> BotDetail:
        from ratings.read.active_versions import (
            active_version,  # reads tables of the service, which no list of bots does
        )

        active = active_version(self._context.database, row.bot.name)
        return BotDetail(
            name=row.bot.name,
            owner=row.owner,
            disabled_at_us=row.bot.disabled_at_us,
            newest=self._version(row.newest, row.bot.remote),
            versions=row.versions,
            active=None if active is None else active.number,
            remote=row.bot.remote,
        )

    def _version(self, version: VersionRecord, remote: bool) -> BotVersion:
        is_here = self._context.viewer.is_organiser and not remote
        return BotVersion(
            version_id=version.id,
            number=version.number,
            content_hash=version.content_hash,
            manifest=version.manifest,
            created_at_us=version.created_at_us,
            directory=str(self._context.programs.store.directory(version.content_hash)) if is_here else None,
            message=version.message,
            predecessor=version.predecessor,
            withdrawn_at_us=version.withdrawn_at_us,
        )


def bot_summary(row: BotRow) -> BotSummary:
    """Return a bot as a list shows it."""
    return BotSummary(
        name=row.bot.name,
        owner=row.owner,
        versions=row.versions,
        content_hash=row.newest.content_hash,
        games=tuple(row.newest.manifest["games"]),
        disabled_at_us=row.bot.disabled_at_us,
        remote=row.bot.remote,
        named=row.newest.manifest["version"] if row.bot.remote else None,
    )


def list_events(context: AppContext, name: str, limit: int | None, after: str | None) -> Page[BotEvent]:
    """Return what happened to a bot, the newest first: to its owner and to organisers."""
    from ratings.read.active_versions import bot_events  # reads tables of the service

    bot = find_version(context, name).bot
    need_own_bot(context.viewer, bot, Text("app.read_history", "read its history"))
    page = bot_events(context.database, bot.name, limit=limit, after=after)
    return Page(tuple(map(_event, page.items)), page.next)


def promote(context: AppContext, text: str, message: str) -> str:
    """Let a version play on the ladders, and return the name of its bot."""
    found = find_version(context, text)
    need_own_bot(context.viewer, found.bot, Text("app.promote_versions", "promote its versions"))
    return _service_ledger(context).promote(found.version.id, actor=actor_of(context.viewer), message=message).name


def withdraw(context: AppContext, text: str, message: str) -> str:
    """Take a version out for good, and return the name of its bot."""
    found = find_version(context, text)
    need_own_bot(context.viewer, found.bot, Text("app.withdraw_versions", "withdraw its versions"))
    ledger = _service_ledger(context)
    return ledger.withdraw_version(found.version.id, actor=actor_of(context.viewer), message=message).name


def roll_back(context: AppContext, name: str, message: str) -> str:
    """Let the version play again that played before, and return the name of its bot."""
    bot = find_version(context, name).bot
    need_own_bot(context.viewer, bot, Text("app.roll_back", "roll it back"))
    _service_ledger(context).rollback(bot.name, actor=actor_of(context.viewer), message=message)
    return bot.name


def _event(row: EventRow) -> BotEvent:
    event = row.event
    return BotEvent(
        number=event.number,
        kind=event.kind,
        at_us=event.at_us,
        actor=event.actor,
        message=text_from_json(event.message, event.message_text),
        version=row.number,
        content_hash=row.content_hash,
    )


def remove(context: AppContext, text: str) -> RemovedBot:
    """Take a bot away, or the one version that `name@hash` means.

    Raises ForbiddenError for a bot of somebody else, BotError if a fact names it; then everything is as it was.
    """
    found = find_version(context, text)
    need_own_bot(context.viewer, found.bot, "remove it")
    ledger, name = _ledger(context), found.bot.name
    is_whole = "@" not in text
    hashes = ledger.remove_bot(name) if is_whole else ledger.remove_version(found.version.id)
    if not found.bot.remote:
        _discard_files(context, hashes)
    return RemovedBot(name, len(hashes), is_whole)


def rename(context: AppContext, name: str, new_name: str) -> str:
    """Give a bot another name, which goes without that of its owner, and return the whole of it."""
    bot = find_version(context, name).bot
    need_own_bot(context.viewer, bot, "rename it")
    return _ledger(context).rename_bot(bot.name, new_name).name


def _discard_files(context: AppContext, hashes: Sequence[str]) -> None:
    """Remove the files of these versions, and what was built of them, unless another bot has the same."""
    for content_hash in hashes:
        if context.programs.store.discard(content_hash, partial(is_held, context.database)):
            context.programs.builds.remove(content_hash)


def build_log(context: AppContext, text: str) -> BuildLog:
    """Return what the build command of a version said when it was last run, in whichever runtime.

    Raises ForbiddenError for another owner's bot, UnknownError if it was never built, and what `find_version` raises.
    """
    found = find_version(context, text)
    need_own_bot(
        context.viewer, found.bot, Text("app.read_what_build_command_said", "read what its build command said")
    )
    version = found.version
    if found.bot.remote:
        raise UnknownError(
            Text(
                "app.remote_built_author_if_all",
                "{name} is remote, and is built by its author, if at all",
                name=found.bot.name,
            )
        )
    kept = context.programs.builds.newest_log(version.content_hash)
    if kept is None:
        why = (
            Text("app.not_built_yet", "it was not built yet")
            if version.manifest.get("build")
            else Text("app.bot_toml_names_no_build", "its bot.toml names no build command")
        )
        raise UnknownError(
            Text(
                "app.version_no_build_log",
                "version {number} of {name} has no build log: {why}",
                number=version.number,
                name=found.bot.name,
                why=why,
            )
        )
    return BuildLog(
        bot=found.bot.name,
        version=version.number,
        content_hash=version.content_hash,
        runtime=kept.runtime,
        built_at_us=kept.written_at_us,
        text=kept.text,
    )
