"""The bots of a database and their versions."""

from __future__ import annotations

from arena.app.lookup import find_version
from arena.app.place import Place
from arena.app.rights import actor_of, need_own_bot
from arena.model.bots import (
    BotDetail,
    BotEvent,
    BotSummary,
    BotVersion,
    BuildLog,
    NamedVersion,
    RemovedBot,
)
from arena.model.page import DEFAULT_LIMIT, Page
from ratings.read import bots
from ratings.read.bots import BotRow
from ratings.store.models import Version


class BotsHere:
    """Implements the interface `arena.model.port.Bots`.

    What writes is imported by the methods that do: who looks at bots does not pay for the ledger.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_bots(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        page = bots.list_bots(self._place.database, limit=limit, after=after)
        return Page(tuple(map(bot_summary, page.items)), page.next)

    def get_bot(self, name: str) -> BotDetail:
        found = find_version(self._place, name)
        return self._detail(bots.bot_detail(self._place.database, found.bot.name))

    def list_versions(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotVersion]:
        found = find_version(self._place, name)
        page = bots.list_versions(self._place.database, found.bot.name, limit=limit, after=after)
        return Page(tuple(self._version(version, found.bot.remote) for version in page.items), page.next)

    def find_version(self, text: str) -> NamedVersion:
        found = find_version(self._place, text)
        return NamedVersion(found.bot.name, found.version.id, found.version.number, found.version.content_hash)

    def set_disabled(self, name: str, disabled: bool) -> str:
        from ratings.ledger.ledger import Ledger

        bot = find_version(self._place, name).bot
        need_own_bot(self._place.viewer, bot, "bar it or let it in")
        return (
            Ledger(self._place.database)
            .set_disabled(bot.name, disabled=disabled, actor=actor_of(self._place.viewer))
            .name
        )

    def remove_bot(self, text: str) -> RemovedBot:
        from arena.app.unplayed import remove

        return remove(self._place, text)

    def rename_bot(self, name: str, new_name: str) -> BotDetail:
        from arena.app.unplayed import rename

        return self.get_bot(rename(self._place, name, new_name))

    def list_events(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotEvent]:
        from arena.app.lineage import list_events

        return list_events(self._place, name, limit, after)

    def get_build_log(self, text: str) -> BuildLog:
        from arena.app.build_logs import build_log

        return build_log(self._place, text)

    def promote_version(self, text: str, message: str = "") -> BotDetail:
        from arena.app.lineage import promote

        return self.get_bot(promote(self._place, text, message))

    def withdraw_version(self, text: str, message: str = "") -> BotDetail:
        from arena.app.lineage import withdraw

        return self.get_bot(withdraw(self._place, text, message))

    def roll_back(self, name: str, message: str = "") -> BotDetail:
        from arena.app.lineage import roll_back

        return self.get_bot(roll_back(self._place, name, message))

    def _detail(self, row: BotRow) -> BotDetail:
        from ratings.read.lineage import active_version  # reads tables of the service, which no list of bots does

        active = active_version(self._place.database, row.bot.name)
        return BotDetail(
            name=row.bot.name,
            owner=row.owner,
            disabled_at_us=row.bot.disabled_at_us,
            newest=self._version(row.newest, row.bot.remote),
            versions=row.versions,
            active=None if active is None else active.number,
            remote=row.bot.remote,
        )

    def _version(self, version: Version, remote: bool) -> BotVersion:
        is_here = self._place.viewer.is_organiser and not remote
        return BotVersion(
            version_id=version.id,
            number=version.number,
            content_hash=version.content_hash,
            manifest=version.manifest,
            created_at_us=version.created_at_us,
            directory=str(self._place.programs.store.directory(version.content_hash)) if is_here else None,
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
