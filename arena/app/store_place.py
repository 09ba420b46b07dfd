"""Where the files of bots lie: beside the file of a database, or, for one on a server, in a place of this user."""

from __future__ import annotations

import os
import re
from pathlib import Path

from arena.hosting.store import StoreError, VersionStore
from ratings.store.database import database_url

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
        return VersionStore(_named(Path(named)) / f"{_as_file(database)}.bots")
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
            f"the files of the bots cannot lie in {directory} ({error.strerror}); name another directory in ARENA_STORE"
        ) from error
    return VersionStore(directory / f"{name}.bots")


def _as_file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)


def _named(directory: Path) -> Path:
    """Return the directory that somebody named, which is there already: one that several machines see is not made."""
    if not directory.is_absolute() or not directory.is_dir():
        raise StoreError(
            f"ARENA_STORE names {directory}, which is no directory; give the whole path of one that is there"
        )
    return directory
