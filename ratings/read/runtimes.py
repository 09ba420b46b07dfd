"""Runtimes that bots played in, as they were recorded."""

from __future__ import annotations

from sqlmodel import col, select

from ratings.store.runtime import RuntimeRecord
from ratings.store.sessions import Source, read


def seen_runtimes(source: Source) -> list[RuntimeRecord]:
    """Return every runtime that a match was played in, by name, the newest of a name first."""
    with read(source) as session:
        query = select(RuntimeRecord).order_by(
            col(RuntimeRecord.name), col(RuntimeRecord.seen_at_us).desc(), col(RuntimeRecord.hash)
        )
        return list(session.exec(query))
