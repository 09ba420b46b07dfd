"""How long to wait before a connection is tried again: longer each time, and never at the same moment as others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import uniform


@dataclass(slots=True)
class ReconnectBackoff:
    """The waiting times of one connection."""

    first_s: float = 0.5
    most_s: float = 30.0
    draw: Callable[[float, float], float] = uniform
    _tries: int = 0

    def next_s(self) -> float:
        """Return how long to wait now: between half and all of a time that doubles with each call."""
        whole = min(self.first_s * 2 ** min(self._tries, 30), self.most_s)
        self._tries += 1
        return self.draw(whole / 2, whole)

    def reset(self) -> None:
        """Begin anew, since the connection works."""
        self._tries = 0
