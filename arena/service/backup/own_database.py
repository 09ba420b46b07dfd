"""Has a restored home play the database that was restored, and no other that its settings name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from ratings.store.urls import without_password

_SECTION, _NAME = "service", "database"
_BEGINS = re.compile(rf"\s*[\w.\"' \t]*{_NAME}[\"']?\s*=")
_URL = re.compile(r"postgres[^\s\"']*")


def play_own_database(settings: Path) -> str:
    """Comment out the database that a settings file names; every other byte stays as it is.

    Return that database without its password, or an empty text if none is named. A file that names it within other
    things on its line, or cannot be read, is left alone.
    """
    text = _read(settings)
    named = _named(text)
    if named and (plain := _commented_out(text)) is not None:
        settings.write_bytes(plain.encode())
    return without_password(named)


def holds_password(settings: Path) -> bool:
    """Return whether the password of a database stands in a settings file, be it in a comment."""
    text = _read(settings)
    return any(without_password(url) != url for url in (*_URL.findall(text), _named(text)))


def _read(settings: Path) -> str:
    try:
        return settings.read_bytes().decode()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""


def _tables(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _named(text: str) -> str:
    section = (_tables(text) or {}).get(_SECTION)
    return str(section.get(_NAME, "")) if isinstance(section, dict) else ""


def _commented_out(text: str) -> str | None:
    """Return the text with `#` before the lines that name the database, or `None` if that would change more."""
    wanted = tomllib.loads(text)
    del wanted[_SECTION][_NAME]
    lines = text.split("\n")
    for first in (number for number, line in enumerate(lines) if _BEGINS.match(line)):
        for behind in range(first + 1, len(lines) + 1):
            parts = [*lines[:first], *(f"# {line}" for line in lines[first:behind]), *lines[behind:]]
            tried = "\n".join(parts)
            if (tables := _tables(tried)) is not None and {_SECTION: {}, **tables} == wanted:
                return tried
    return None
