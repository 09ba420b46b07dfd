"""Runtimes that bots played in, as they were recorded."""

from __future__ import annotations

from sqlmodel import col, select

from ratings.store.runtime import Runtime
from ratings.store.sessions import Source, read


def seen_runtimes(source: Source) -> list[Runtime]:
    """Return every runtime that a match was played in, by name, the newest of a name first."""
    with read(source) as session:
        query = select(Runtime).order_by(col(Runtime.name), col(Runtime.seen_at_us).desc(), col(Runtime.hash))
        return list(session.exec(query))
