"""Remembers in a file which tables are played, so that pages that were started anew go on with them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.web.people.game_table import Party, TableDetails
from arena.web.people.values import TableClock, TableOrder

_SECRET = 0o600
_PARTY = ("key", "seats", "visitor", "invitation")


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A table as it is remembered."""

    about: TableDetails
    accounts: Mapping[int, str]
    """The plain name of the account, by the seat that it takes."""
    parties: tuple[Party, ...]


def load(file: Path | None) -> list[SavedTable]:
    """Return the tables that were remembered; none if there is no file, or none that can be read."""
    if file is None:
        return []
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        return [_read(one) for one in json.loads(file.read_text(encoding="utf-8"))]
    return []


def save(file: Path | None, tables: Iterable[SavedTable]) -> None:
    """Remember these tables and no others; a crash leaves either these or those before. Raises OSError."""
    if file is None:
        return
    text = json.dumps([_written(one) for one in tables])
    new = file.with_suffix(".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _SECRET), "w", encoding="utf-8") as opened:
        opened.write(text)
    new.replace(file)


def _written(one: SavedTable) -> dict[str, Any]:
    parties = [{name: getattr(party, name) for name in _PARTY} for party in one.parties]
    return {"about": asdict(one.about), "guests": dict(one.accounts), "parties": parties}


def _read(data: Mapping[str, Any]) -> SavedTable:
    about = data["about"]
    listed = about["order"]
    order: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in listed.items()}
    fields = {
        **about,
        "names": tuple(about["names"]),
        "order": TableOrder(**{**order, "pace": TableClock(listed["pace"])}),
    }
    parties = tuple(Party(**{**one, "seats": tuple(one["seats"])}) for one in data["parties"])
    return SavedTable(TableDetails(**fields), {int(seat): str(name) for seat, name in data["guests"].items()}, parties)
