"""The tables as SQLAlchemy's core sees them, for statements that are built once and run often."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import Row
from sqlalchemy import Table as CoreTable

from ratings.store import models, service, tallies

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
"""A row that a core statement returned; its columns are attributes."""

metadata = models.Match.metadata
assert metadata is service.Token.metadata is tallies.EntrantTally.metadata
"""All tables, and no others."""

_all = metadata.tables

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

active_version: CoreTable = _all["active_version"]
admission: CoreTable = _all["admission"]
annulled_block: CoreTable = _all["annulled_block"]
annulment: CoreTable = _all["annulment"]
bot_event: CoreTable = _all["bot_event"]
invitation: CoreTable = _all["invitation"]
ladder: CoreTable = _all["ladder"]
notice: CoreTable = _all["notice"]
season: CoreTable = _all["season"]
seat_log: CoreTable = _all["seat_log"]
token: CoreTable = _all["token"]
