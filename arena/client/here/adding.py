"""Adds the files of a bot to the database and the store on this machine."""

from __future__ import annotations

from pathlib import Path

from arena.client.values.bots import AddedBot
from arena.hosting.manifest import check_for_strangers, load_manifest
from arena.hosting.store import VersionStore
from ratings.ledger.ledger import Ledger
from ratings.store.database import Database


def add_bot(database: Database, store: VersionStore, directory: Path, owner: str | None) -> AddedBot:
    """Copy a bot's files into the store, register the version, and return what came of it.

    Raises BotDirectoryError, StoreError or BotError; then the database is as it was.
    """
    if owner is not None:
        check_for_strangers(load_manifest(directory), directory)
    stored = store.add(directory)
    manifest = stored.manifest
    version, is_new = Ledger(database).add_version(
        bot=manifest.name, owner=owner, content_hash=stored.hash, manifest=manifest.to_json()
    )
    return AddedBot(
        bot=manifest.name,
        version_id=version.id,
        number=version.number,
        content_hash=version.content_hash,
        manifest=version.manifest,
        created_at_us=version.created_at_us,
        new=is_new,
    )
