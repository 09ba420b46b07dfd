"""The tables as SQLAlchemy's core sees them, for statements that are built once and run often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import MetaData, Row
from sqlalchemy import Table as CoreTable

from ratings.store import annulment as annulments
from ratings.store import models, tallies

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
"""A row that a core statement returned; its columns are attributes."""

_all = models.Match.metadata.tables
assert _all is annulments.Annulment.metadata.tables is tallies.EntrantTally.metadata.tables

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
pending_rating: CoreTable = _all["pending_rating"]
pool: CoreTable = _all["pool"]
rating: CoreTable = _all["rating"]
rating_change: CoreTable = _all["rating_change"]
rating_order: CoreTable = _all["rating_order"]
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
season: CoreTable
seat_log: CoreTable
token: CoreTable
metadata: MetaData
"""All tables, and no others."""

if not TYPE_CHECKING:  # so that a name that is not above stays an error to mypy

    def __getattr__(name: str) -> Any:
        """Return a table of the service, or the metadata with those tables in it."""
        if name not in __annotations__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

        from ratings.store import bot_event as bot_events

        found = bot_events.BotEvent.metadata
        if name in ("active_version", "bot_event"):
            return found.tables[name]
        from ratings.store import service

        assert found is service.Token.metadata
        return found if name == "metadata" else found.tables[name]
