"""Pauses between tries: to reach a service again, or to run again what failed. Loads nothing of ours."""

from __future__ import annotations

from dataclasses import dataclass
from random import uniform


@dataclass(slots=True)
class Backoff:
    """Pauses between tries, each twice as long as the one before."""

    first_s: float = 1.0
    most_s: float = 300.0
    jitter: float = 0.0
    """By what share of itself a pause may be shorter, at random, so that many clients do not come back at once."""
    tries: int = 0

    def next_s(self) -> float:
        """Return how long to pause now."""
        whole = min(self.most_s, self.first_s * 2 ** min(self.tries, 30))
        self.tries += 1
        return uniform(whole * (1 - self.jitter), whole)

    def reset(self) -> None:
        """Begin with a short pause again."""
        self.tries = 0
