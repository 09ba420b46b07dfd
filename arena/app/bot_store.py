"""Where the bots of a database lie, how one is added to them, and how they are copied with the database."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from arena.hosting.builds import BUILDS_SUFFIX
from arena.hosting.manifest import load_manifest
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import StoredVersion, StoreError, VersionStore
from arena.model.bots import AddedBot
from arena.tournament.seed_key import KEY_SUFFIX
from engine.os_errors import os_error_text
from engine.translatable import Text
from ratings.store.database import Database, database_url
from ratings.values.owners import stored_bot_name

VARIABLE = "ARENA_STORE"
"""Names the directory for the databases on servers, which several machines may share."""
AUTO = "auto"
_PORT = "5432"
_HERE = ("localhost", "127.0.0.1", "::1")


def store_of(place: str) -> VersionStore:
    """Return the store of the bots of a database, a path or URL; it may not be there yet.

    For a database on a server it does not depend on where one stands: `NAME.bots` in the directory that ARENA_STORE
    names, whatever a machine calls the server, or `HOST-NAME.bots` in this user's own. Raises StoreError if the one is
    not there, or the other cannot be made.
    """
    url = database_url(place)
    if url.get_backend_name() == "sqlite":
        return VersionStore.of_database(Path(url.database or "arena.db"))
    database = str(url.query.get("dbname", url.database) or url.username or "postgres")
    named = os.environ.get(VARIABLE, AUTO)
    if named not in ("", AUTO):
        directory = Path(named)
        if not directory.is_absolute() or not directory.is_dir():
            raise StoreError(
                Text(
                    "ARENA_STORE names {directory}, which is no directory; give the whole path of one that is there",
                    directory=directory,
                )
            )
        return VersionStore(directory / f"{_as_file(database)}.bots")
    host = str(url.query.get("host", url.host) or _HERE[0])
    host = _HERE[0] if host in _HERE or host.startswith("/") else host
    port = str(url.query.get("port", url.port) or _PORT)
    name = _as_file(f"{host}{'' if port == _PORT else f'-{port}'}-{database}")
    from platformdirs import user_data_path  # only who has a database on a server asks

    directory = user_data_path("kingmaker-arena")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            Text(
                "the files of the bots cannot lie in {directory} ({why}); name another directory in ARENA_STORE",
                directory=directory,
                why=os_error_text(error),
            )
        ) from error
    return VersionStore(directory / f"{name}.bots")


def _as_file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)


def copy_files(source: VersionStore, target: VersionStore, tell: Callable[[int, int], None]) -> int:
    """Copy what is not there yet, each thing whole or not at all, and return how many versions `target` has then.

    `tell` is told how many of how many were looked at. Raises OSError.
    """
    pairs = [(source.root, target.root)]
    pairs.append((source.root.with_suffix(BUILDS_SUFFIX), target.root.with_suffix(BUILDS_SUFFIX)))
    found = [(path, there / path.name) for here, there in pairs if here.is_dir() for path in sorted(here.iterdir())]
    key = source.root.with_suffix(KEY_SUFFIX)
    found += [(key, target.root.with_suffix(KEY_SUFFIX))] if key.exists() else []
    for number, (path, place) in enumerate(found, start=1):
        if not path.name.startswith(".") and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".copy-", dir=place.parent) as directory:
                unfinished = Path(directory) / path.name
                if path.is_dir():
                    shutil.copytree(path, unfinished, symlinks=True)
                    mode = unfinished.stat().st_mode
                    unfinished.chmod(mode | 0o200)  # a directory that may not be written cannot be moved
                    unfinished.rename(place)
                    place.chmod(mode & 0o7777)
                else:
                    shutil.copy2(path, unfinished)
                    unfinished.rename(place)
        tell(number, len(found))
    return sum(path.is_dir() for path in target.root.iterdir()) if target.root.is_dir() else 0


def other_key(source: VersionStore, target: VersionStore) -> Path | None:
    """Return the seed key of the target if it is not that of the source, or `None`."""
    ours, theirs = (store.root.with_suffix(KEY_SUFFIX) for store in (source, target))
    if not theirs.exists() or (ours.exists() and ours.read_bytes() == theirs.read_bytes()):
        return None
    return theirs


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
    from ratings.ledger.ledger import Ledger  # who only looks for a store does not pay for it

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
