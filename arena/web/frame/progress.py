"""How a tournament stands, in words: its status, how far it is, how long it may still take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from arena.client.values.tournaments import TournamentSummary

_TAGS: Final = {"running": "good", "cancelled": "bad", "planned": "warn"}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is."""

    done: int
    total: int
    left_s: float | None
    """How long it may still take at the pace so far; `None` if nothing is played now, or more waves will follow."""
    tag: str

    @property
    def part(self) -> float:
        """Return the part that is done, 0 to 1."""
        return self.done / self.total if self.total else 0.0


def progress_of(one: TournamentSummary, now_us: float | None = None) -> Progress:
    """Return how far a tournament is."""
    done = one.finished + one.void
    passed_s = ((time.time() * 1e6 if now_us is None else now_us) - one.created_at_us) / 1e6
    is_known = one.leased > 0 and done > 0 and not one.more_waves
    left_s = passed_s * (one.total - done) / done if is_known else None
    return Progress(done, one.total, left_s, _TAGS.get(one.status, ""))
