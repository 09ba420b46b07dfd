"""Remembers in a file which tables are played, so that pages that were started anew go on with them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.web.people.table import About
from arena.web.people.values import Pace

_SECRET = 0o600


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as it is remembered."""

    about: About
    guests: Mapping[int, str]
    """The plain name of the guest, by the seat that it sits in."""


def load(file: Path | None) -> list[Kept]:
    """Return the tables that were remembered; none if there is no file, or none that can be read."""
    if file is None:
        return []
    with suppress(OSError, ValueError, KeyError, TypeError):
        return [_read(one) for one in json.loads(file.read_text(encoding="utf-8"))]
    return []


def save(file: Path | None, tables: Iterable[Kept]) -> None:
    """Remember these tables and no others; a crash leaves either these or those before. Raises OSError."""
    if file is None:
        return
    text = json.dumps([{"about": asdict(one.about), "guests": dict(one.guests)} for one in tables])
    new = file.with_suffix(".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _SECRET), "w", encoding="utf-8") as opened:
        opened.write(text)
    new.replace(file)


def _read(data: Mapping[str, Any]) -> Kept:
    about = data["about"]
    fields = {**about, "names": tuple(about["names"]), "pace": Pace(about["pace"])}
    return Kept(About(**fields), {int(seat): str(name) for seat, name in data["guests"].items()})
