"""Adds the files of a bot to the database and the store on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena.hosting.manifest import load_manifest
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import StoredVersion
from arena.model.bots import AddedBot
from ratings.ledger.ledger import Ledger
from ratings.store.database import Database
from ratings.store.names import stored_bot_name

Build = Callable[[StoredPrograms, StoredVersion, bool], None]
"""Builds a version that needs it, given whether it has an owner; raises an error of its own if that fails."""


def add_bot(database: Database, programs: StoredPrograms, directory: Path, owner: str | None, build: Build) -> AddedBot:
    """Copy a bot's files into the store, build it if it needs that, register the version, and return what came of it.

    Raises BotDirectoryError, StoreError, BotError or what `build` raises; then the database is as it was.
    """
    programs.runtimes.check_bot(load_manifest(directory), directory, is_stranger=owner is not None)
    stored = programs.store.add(directory)
    manifest = stored.manifest
    # The directory may be another one than the one that was looked at before; what is stored stays.
    programs.runtimes.check_bot(manifest, stored.directory, is_stranger=owner is not None)
    if manifest.build:
        build(programs, stored, owner is not None)
    version, is_new = Ledger(database).add_version(
        bot=manifest.name, owner=owner, content_hash=stored.hash, manifest=manifest.to_json()
    )
    return AddedBot(
        bot=stored_bot_name(owner, manifest.name),
        version_id=version.id,
        number=version.number,
        content_hash=version.content_hash,
        manifest=version.manifest,
        created_at_us=version.created_at_us,
        new=is_new,
    )
