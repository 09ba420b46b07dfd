"""Finds the programs of the bots that are to play beside a caller, and makes seats for them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from arena.app.store import store_of
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.builder.preparing import prepare_copy
from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError, BotManifest
from arena.hosting.runtimes.catalog import NO_RUNTIMES, RuntimeCatalog
from arena.hosting.runtimes.runtime import SYSTEM_PATH
from arena.hosting.runtimes.settings import read_runtimes
from arena.hosting.sample_bots import sample_directory, sample_names
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import StoreError
from arena.match.spec import SeatSpec, program_seat
from ratings.errors import RatingsError
from ratings.read.bots import find_version
from ratings.store.database import open_for_reading

_NO_FILE = "none"


class BotUnavailableError(Exception):
    """A bot that was named cannot play. The message is a line with the remedy."""


async def find_seat(wanted: Mapping[str, str], game: str, policy: SandboxPolicy) -> SeatSpec:
    """Return the seat of a bot: `{"bot": NAME or DIRECTORY}`, or `{"bot": NAME or NAME@HASH, "db": DATABASE}`.

    Raises BotUnavailableError.
    """
    try:
        found, plays = await (_stored(wanted, policy) if "db" in wanted else _in_directory(wanted["bot"], policy))
    except (RatingsError, HostingError, BotDirectoryError, StoreError, ValueError) as error:
        raise BotUnavailableError(f"{wanted['bot']}: {error}") from error
    if not plays.plays(game):
        raise BotUnavailableError(f"{found.name} does not play {game}; its bot.toml names: {', '.join(plays.games)}")
    return found


async def _in_directory(bot: str, policy: SandboxPolicy) -> tuple[SeatSpec, BotManifest]:
    directory = sample_directory(bot) if bot in sample_names() else Path(bot)
    if not directory.is_dir():
        raise BotUnavailableError(
            f"there is no sample bot and no directory {bot!r}; the samples are {', '.join(sample_names())}, and a bot "
            "in a database is named by Version(db, bot)"
        )
    prepared = await prepare_copy(directory.resolve(), policy, _runtimes())
    if isinstance(prepared, BuildFailure):
        raise BotUnavailableError(prepared.sentence)
    name = prepared.manifest.name
    return program_seat(name, prepared.version, prepared.program, prepared.level), prepared.manifest


async def _stored(wanted: Mapping[str, str], policy: SandboxPolicy) -> tuple[SeatSpec, BotManifest]:
    return await asyncio.to_thread(_find_stored, wanted["db"], wanted["bot"], policy)


def _find_stored(db: str, bot: str, policy: SandboxPolicy) -> tuple[SeatSpec, BotManifest]:
    database = open_for_reading(db)
    try:
        named = find_version(database, bot)
    finally:
        database.close()
    if named.bot.remote:
        raise BotUnavailableError(
            f"{bot} runs on its author's machine; only versions whose files are here can sit down"
        )
    programs = StoredPrograms(store_of(db), policy, _runtimes())
    program = programs.find(named.version.content_hash)
    level = programs.sandbox_level(has_owner=named.bot.owner_id is not None)
    return program_seat(named.bot.name, named.version.content_hash, program, level), program.manifest


def _runtimes() -> RuntimeCatalog:
    """Return the runtimes that this user's commands know, too. Raises RuntimeSettingsError."""
    file = os.environ.get("ARENA_RUNTIMES", _NO_FILE)
    own_places = [place for place in os.get_exec_path() if Path(place).is_absolute()]
    path = os.pathsep.join((SYSTEM_PATH, *own_places))
    return RuntimeCatalog(NO_RUNTIMES if file in ("", _NO_FILE) else read_runtimes(Path(file)), path=path)
