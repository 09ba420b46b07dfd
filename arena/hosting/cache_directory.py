"""Names the directory in which this user's arenas remember what is slow to find out."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return the directory, which need not exist. What lies in it may vanish at any time."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kingmaker-arena"
