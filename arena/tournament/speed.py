"""How fast matches are played once everything has started, so that an estimate does not count the start. No I/O."""

from __future__ import annotations

LONG_S = 60.0
"""After so long the start is a small part of the whole, and a first result is enough for an estimate."""


class SpeedMeter:
    """Measures matches a second from the results of a run, without the time in which workers, sandboxes and bots start.

    The first result of each lane holds its start, the later ones do not, since bots stay warm. So the time counts from
    the moment at which as many matches are over as there are lanes, and says something once as many again are over.
    """

    def __init__(self, began_s: float, lanes: int) -> None:
        """Begin at an instant of the clock that `speed` is given, with so many matches played at once."""
        self._began_s = began_s
        self._lanes = max(1, lanes)
        self._from: tuple[int, float] | None = None

    def speed(self, played: int, now_s: float) -> float | None:
        """Return the matches a second, given how many were played until now; `None` while it is not known."""
        if self._from is None and played >= self._lanes:
            self._from = (played, now_s)
        if self._from is not None:
            first, since_s = self._from
            if played - first >= self._lanes and now_s > since_s:
                return (played - first) / (now_s - since_s)
        elapsed_s = now_s - self._began_s
        return played / elapsed_s if played and elapsed_s >= LONG_S else None
