"""Finds out which versions can be started here, so that a ladder goes on without those that cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.runtimes.errors import RuntimeBrokenError
from arena.hosting.store import StoreError
from arena.service.activities.context import ServiceContext
from engine.text import Text
from ratings.ledger.entrants import Noted
from ratings.ledger.service import ServiceLedger
from ratings.store.models import BotRecord, VersionRecord

_FILES_GONE = Text(
    "service.arena_cannot_read_files_they",
    "the arena cannot read its files as they were submitted; the organiser has to bring them back",
)


async def update_availability(context: ServiceContext, versions: Iterable[tuple[VersionRecord, BotRecord]]) -> Noted:
    """Look which hosted versions can be started, built anew if needed, and write it: ladders follow at once.

    Raises SandboxUnavailableError and the other errors of a machine that can build or start nothing at all.
    """
    found = {version.id: await _obstacle(context, version, bot) for version, bot in versions if not bot.remote}
    noted = await asyncio.to_thread(ServiceLedger(context.database).note_absences, found)
    if noted.gone:
        context.log.warning("absent from ladders until they can be started", bots=noted.gone)
    if noted.back:
        context.log.info("back on ladders", bots=noted.back)
    return noted


async def _obstacle(context: ServiceContext, version: VersionRecord, bot: BotRecord) -> str | None:
    """Return why a version cannot be started, in words that its owner may read, or `None` if it can."""
    about = f"version {version.id}"
    try:
        built = await build_version(context.programs, version.content_hash, has_owner=bot.owner_id is not None)
        if isinstance(built, BuildFailure):
            return built.sentence
        await asyncio.to_thread(context.programs.find, version.content_hash)
    except (BotDirectoryError, RuntimeBrokenError, StoreError) as error:
        if context.supervisor.problems.is_new(about, str(error)):
            context.log.warning("cannot be started", bot=bot.name, version=version.content_hash[:12], why=str(error))
        return _for_owner(error, version)
    context.supervisor.problems.end(about)
    return None


def _for_owner(error: Exception, version: VersionRecord) -> str:
    """Return an error without the places on the arena's machine that its own message names."""
    if isinstance(error, StoreError):
        return _FILES_GONE
    if isinstance(error, RuntimeBrokenError):
        return Text(
            "service.runtime_does_not_work_arena",
            "its runtime {name} does not work on the arena's machine; the organiser has to mend it",
            name=repr(version.manifest.get("runtime", "arena")),
        )
    return str(error)
