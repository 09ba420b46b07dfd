"""The tables as SQLAlchemy's core sees them, for statements that are built once and run often."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import MetaData, Row
from sqlalchemy import Table as CoreTable

from ratings.store import models

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
"""A row that a core statement returned; its columns are attributes."""

_all = models.MatchRecord.metadata.tables

annulled_block: CoreTable = _all["annulled_block"]
annulment: CoreTable = _all["annulment"]
attempt: CoreTable = _all["attempt"]
block: CoreTable = _all["block"]
bot: CoreTable = _all["bot"]
entrant: CoreTable = _all["entrant"]
entrant_tally: CoreTable = _all["entrant_tally"]
fault: CoreTable = _all["fault"]
gathering: CoreTable = _all["gathering"]
leak_check: CoreTable = _all["leak_check"]
match: CoreTable = _all["match"]
match_seat: CoreTable = _all["match_seat"]
owner: CoreTable = _all["owner"]
pool: CoreTable = _all["pool"]
proof_entry: CoreTable = _all["proof_entry"]
replay: CoreTable = _all["replay"]
tournament: CoreTable = _all["tournament"]
version: CoreTable = _all["version"]
wave: CoreTable = _all["wave"]

# These are made when somebody first names one of them: it takes a while, and who looks at matches needs none.
active_version: CoreTable
admission: CoreTable
bot_event: CoreTable
invitation: CoreTable
ladder: CoreTable
notice: CoreTable
pending_rating: CoreTable
rating: CoreTable
rating_change: CoreTable
rating_order: CoreTable
season: CoreTable
seat_log: CoreTable
token: CoreTable
metadata: MetaData
"""All tables, and no others."""

_FILES = {
    "active_version": "bot_events",
    "bot_event": "bot_events",
    "pending_rating": "rating",
    "rating": "rating",
    "rating_change": "rating",
    "rating_order": "rating",
    "season": "season",
}
"""The file of this folder that has the table; `service` has all others."""

if not TYPE_CHECKING:  # so that a name that is not above stays an error to mypy

    def __getattr__(name: str) -> Any:
        """Return a table that is made when it is named, or the metadata with all tables in it."""
        if name not in __annotations__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        of_all = (*set(_FILES.values()), "bot_runtimes", "service")
        for file in of_all if name == "metadata" else (_FILES.get(name, "service"),):
            import_module(f"ratings.store.{file}")
        found = models.MatchRecord.metadata
        return found if name == "metadata" else found.tables[name]
