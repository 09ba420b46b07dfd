"""The bots of a database and their versions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from arena.app.lookup import find_version
from arena.app.policy import AppContext, actor_of, need_own_bot
from arena.model.bots import BotDetail, BotEvent, BotSummary, BotVersion, BuildLog, NamedVersion, RemovedBot
from arena.model.errors import UnknownError
from engine.translatable import Text, text_from_json
from ratings.read import bots
from ratings.read.bots import BotRow, is_held
from ratings.store.models import VersionRecord
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.pools import games_of

if TYPE_CHECKING:
    from ratings.ledger.ledger import Ledger
    from ratings.ledger.service_ledger import ServiceLedger


def _ledger(context: AppContext) -> Ledger:
    """Return the ledger, which is imported only where something is written: who looks at bots does not pay for it."""
    from ratings.ledger.ledger import Ledger

    return Ledger(context.database)


def _service_ledger(context: AppContext) -> ServiceLedger:
    from ratings.ledger.service_ledger import ServiceLedger

    return ServiceLedger(context.database)


class LocalBots:
    """Implements the interface `arena.model.port.Bots`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_bots(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        page = bots.list_bots(self._context.database, limit=limit, after=after)
        return Page(tuple(map(bot_summary, page.items)), page.next)

    def get_bot(self, name: str) -> BotDetail:
        from ratings.read.active_versions import active_version  # reads tables of the service, as no list of bots does

        row = bots.bot_detail(self._context.database, find_version(self._context, name).bot.name)
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

    def list_versions(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotVersion]:
        found = find_version(self._context, name)
        page = bots.list_versions(self._context.database, found.bot.name, limit=limit, after=after)
        return Page(tuple(self._version(version, found.bot.remote) for version in page.items), page.next)

    def find_version(self, text: str) -> NamedVersion:
        found = find_version(self._context, text)
        return NamedVersion(found.bot.name, found.version.id, found.version.number, found.version.content_hash)

    def set_disabled(self, name: str, disabled: bool) -> str:
        bot = find_version(self._context, name).bot
        need_own_bot(self._context.viewer, bot, Text("bar it or let it in"))
        return (
            _ledger(self._context).set_disabled(bot.name, disabled=disabled, actor=actor_of(self._context.viewer)).name
        )

    def remove_bot(self, text: str) -> RemovedBot:
        found = find_version(self._context, text)
        need_own_bot(self._context.viewer, found.bot, "remove it")
        ledger, name = _ledger(self._context), found.bot.name
        is_whole = "@" not in text
        hashes = ledger.remove_bot(name) if is_whole else ledger.remove_version(found.version.id)
        if not found.bot.remote:
            programs = self._context.programs
            for content_hash in hashes:
                if programs.store.discard(content_hash, partial(is_held, self._context.database)):
                    programs.builds.remove(content_hash)
        return RemovedBot(name, len(hashes), is_whole)

    def rename_bot(self, name: str, new_name: str) -> BotDetail:
        bot = find_version(self._context, name).bot
        need_own_bot(self._context.viewer, bot, "rename it")
        return self.get_bot(_ledger(self._context).rename_bot(bot.name, new_name).name)

    def list_events(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotEvent]:
        from ratings.read.active_versions import bot_events  # reads tables of the service

        bot = find_version(self._context, name).bot
        need_own_bot(self._context.viewer, bot, Text("read its history"))
        page = bot_events(self._context.database, bot.name, limit=limit, after=after)
        events = (
            BotEvent(
                number=row.event.number,
                kind=row.event.kind,
                at_us=row.event.at_us,
                actor=row.event.actor,
                message=text_from_json(row.event.message, row.event.message_text),
                version=row.number,
                content_hash=row.content_hash,
            )
            for row in page.items
        )
        return Page(tuple(events), page.next)

    def get_build_log(self, text: str) -> BuildLog:
        found = find_version(self._context, text)
        need_own_bot(self._context.viewer, found.bot, Text("read what its build command said"))
        version = found.version
        if found.bot.remote:
            raise UnknownError(Text("{name} is remote, and is built by its author, if at all", name=found.bot.name))
        kept = self._context.programs.builds.newest_log(version.content_hash)
        if kept is None:
            why = (
                Text("it was not built yet")
                if version.manifest.get("build")
                else Text("its bot.toml names no build command")
            )
            raise UnknownError(
                Text(
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

    def promote_version(self, text: str, message: str = "") -> BotDetail:
        found, viewer = find_version(self._context, text), self._context.viewer
        need_own_bot(viewer, found.bot, Text("promote its versions"))
        ledger = _service_ledger(self._context)
        return self.get_bot(ledger.promote(found.version.id, actor=actor_of(viewer), message=message).name)

    def withdraw_version(self, text: str, message: str = "") -> BotDetail:
        found = find_version(self._context, text)
        need_own_bot(self._context.viewer, found.bot, Text("withdraw its versions"))
        ledger = _service_ledger(self._context)
        return self.get_bot(
            ledger.withdraw_version(found.version.id, actor=actor_of(self._context.viewer), message=message).name
        )

    def roll_back(self, name: str, message: str = "") -> BotDetail:
        bot = find_version(self._context, name).bot
        need_own_bot(self._context.viewer, bot, Text("roll it back"))
        _service_ledger(self._context).rollback(bot.name, actor=actor_of(self._context.viewer), message=message)
        return self.get_bot(bot.name)

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
        games=games_of(row.newest.manifest),
        disabled_at_us=row.bot.disabled_at_us,
        remote=row.bot.remote,
        named=row.newest.manifest.get("version") if row.bot.remote else None,
    )
