"""What a tournament would be, before it is written."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.planning import LeftOut
from ratings.values.pools import Pool


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would be played if a tournament was asked for."""

    format: str
    pool: Pool
    is_new_pool: bool
    """Whether nothing was played in that pool so far."""
    bots: tuple[str, ...]
    """The entrants, each `name@hash`, in the order of entry."""
    left_out: tuple[LeftOut, ...]
    """The bots that `all` would not mean."""
    matches: int | None
    """How many matches, or `None` if it goes on until it is cancelled."""
    is_most: bool
    """Whether these are the most, and results may end it earlier."""
    match_us: int | None
    """How long a match takes, in microseconds of wall time, or `None` if nobody can say."""
    measured: int
    """From how many matches among these versions that was measured; with 0 it is what the clock allows."""
