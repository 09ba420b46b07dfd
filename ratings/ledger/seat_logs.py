"""What bots wrote during a match, as a fact to be recorded, and its stored form."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SeatLogFact:
    """What the bot in a seat wrote during a match, and how many bytes in its middle were left out."""

    seat: int
    data: bytes
    cut_bytes: int = 0


def log_rows(match_id: str, logs: Sequence[SeatLogFact]) -> list[dict[str, Any]]:
    """Return the rows that keep the logs of a match; `ratings.read.logs.seat_log` reads them."""
    return [
        {"match_id": match_id, "seat": log.seat, "data": zlib.compress(log.data), "cut_bytes": log.cut_bytes}
        for log in logs
    ]
