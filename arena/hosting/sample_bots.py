"""Finds the sample bots that are installed with the arena. It reads their files and imports none of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from arena.hosting.manifest import MANIFEST_NAME, BotDirectoryError

_PACKAGE = "bots"


def sample_directory(name: str) -> Path:
    """Return the directory of an installed sample bot. Raises BotDirectoryError if there is none of that name."""
    package = importlib.util.find_spec(_PACKAGE)
    for place in (package and package.submodule_search_locations) or ():
        if (Path(place) / name / MANIFEST_NAME).is_file():
            return Path(place) / name
    raise BotDirectoryError(f"the sample bot {name!r} is not installed; install kingmaker-arena again")
