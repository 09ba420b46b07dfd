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
_HERE = ("localhost", "127.0.0.1", "::1")


def store_of(place: str) -> VersionStore:
    """Return the store of the bots of a database, a path or URL; it may not be there yet.

    For a database on a server it does not depend on where one stands: `HOST_NAME.bots` in the directory that
    ARENA_STORE names, or in this user's own. Raises StoreError if that cannot be made.
    """
    url = database_url(place)
    if url.get_backend_name() == "sqlite":
        return VersionStore.of_database(Path(url.database or "arena.db"))
    host = str(url.query.get("host", url.host) or _HERE[0])
    host = _HERE[0] if host in _HERE or host.startswith("/") else host
    port = "" if url.port in (None, 5432) else f"-{url.port}"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{host}{port}-{url.database or url.username or 'postgres'}")
    directory = _directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the files of the bots cannot lie in {directory} ({error.strerror}); name another directory in ARENA_STORE"
        ) from error
    return VersionStore(directory / f"{name}.bots")


def _directory() -> Path:
    named = os.environ.get(VARIABLE, AUTO)
    if named not in ("", AUTO):
        return Path(named).absolute()
    from platformdirs import user_data_path  # only who has a database on a server asks

    return user_data_path("kingmaker-arena")
