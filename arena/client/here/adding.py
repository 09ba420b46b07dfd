"""Adds the files of a bot to the database and the store on this machine."""

from __future__ import annotations

from pathlib import Path

from arena.client.values.bots import AddedBot
from arena.hosting.manifest import load_manifest
from arena.hosting.runtimes.book import Runtimes
from arena.hosting.store import VersionStore
from ratings.ledger.ledger import Ledger
from ratings.store.database import Database
from ratings.store.names import stored_bot_name


def add_bot(
    database: Database, store: VersionStore, directory: Path, owner: str | None, runtimes: Runtimes
) -> AddedBot:
    """Copy a bot's files into the store, register the version, and return what came of it.

    Raises BotDirectoryError, StoreError or BotError; then the database is as it was.
    """
    runtimes.check_bot(load_manifest(directory), directory, is_stranger=owner is not None)
    stored = store.add(directory)
    manifest = stored.manifest
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
