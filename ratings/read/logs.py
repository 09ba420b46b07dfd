"""What bots wrote to their output during a match, as far as it is kept."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from ratings.store.service import SeatLogRecord
from ratings.store.sessions import Source, read


@dataclass(frozen=True, slots=True)
class StoredLog:
    """What the bot in a seat wrote to stdout and stderr during a match, in the order in which it was read."""

    data: bytes
    cut_bytes: int
    """How many bytes were left out behind the first 16 KiB."""


def seat_log(source: Source, match_id: str, seat: int) -> StoredLog | None:
    """Return the log of one seat, or None if the bot wrote nothing, or logs were not kept or are removed."""
    with read(source) as session:
        row = session.get(SeatLogRecord, (match_id, seat))
        return None if row is None else StoredLog(zlib.decompress(row.data), row.cut_bytes)
