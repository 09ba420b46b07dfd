"""Reads the settings of the service in whose home a database lies."""

from __future__ import annotations

import os
from pathlib import Path

from arena.service.settings import ServiceSettings, load_settings

_FILE = "settings.toml"


def settings_beside(database: str) -> ServiceSettings:
    """Return what the settings file beside a database says, with the defaults for the rest. Raises SettingsError."""
    return load_settings(Path(database).parent / _FILE, {}, os.environ).values


def pace_beside(database: str) -> int | None:
    """Return the pace of ladders that have none of their own, or `None` if the database lies in no home."""
    is_home = (Path(database).parent / _FILE).is_file()
    return settings_beside(database).service.matches_per_day if is_home else None
