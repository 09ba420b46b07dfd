"""Holds a ladder to so many matches a day, as a bucket that fills steadily. Pure: it is told the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, TypeVar

DAY_S = 86_400.0
BURST_S = 3600.0
"""How long a time's matches may be played at once after a quiet time."""

MATCHES_PER_DAY = "matches_per_day"
"""The setting of a ladder that holds it to a pace; 0 for none."""
_Default = TypeVar("_Default")


def rate_of(settings: Mapping[str, Any], default: _Default) -> int | _Default:
    """Return how many matches a day a ladder with these settings may play, 0 for any number, or else the default."""
    own = settings.get(MATCHES_PER_DAY)
    return own if isinstance(own, int) and own >= 0 else default


class MatchRateLimit:
    """At most so many matches a day in the long run."""

    def __init__(self, matches_per_day: float, now_s: float, *, is_full: bool = True) -> None:
        """Begin with a full or an empty bucket at the instant `now_s`; `matches_per_day` is above 0."""
        self._rate = matches_per_day / DAY_S
        self._most = max(1.0, self._rate * BURST_S)
        self._left = self._most if is_full else 0.0
        self._at_s = now_s

    def wait_s(self, now_s: float) -> float:
        """Return how long it is until the next match may begin; 0 if it may now."""
        self._fill(now_s)
        return 0.0 if self._left >= 1.0 else (1.0 - self._left) / self._rate

    def count(self, now_s: float) -> int:
        """Return how many matches may begin now."""
        self._fill(now_s)
        return int(self._left)

    def take(self, now_s: float) -> None:
        """Count a match that begins."""
        self._fill(now_s)
        self._left = max(0.0, self._left - 1.0)

    def give_back(self) -> None:
        """Count a match not that was not played."""
        self._left = min(self._most, self._left + 1.0)

    def _fill(self, now_s: float) -> None:
        self._left = min(self._most, self._left + max(0.0, now_s - self._at_s) * self._rate)
        self._at_s = max(self._at_s, now_s)


_MOST_LOOKED_AT = 5000


def matches_to_look_at(matches_per_day: float) -> int:
    """Return of how many matches, the last ones, `pace_after` must know when they began."""
    return min(_MOST_LOOKED_AT, 2 * ceil(max(1.0, matches_per_day / DAY_S * BURST_S)))


def pace_after(matches_per_day: float, began_s: Sequence[float], now_s: float) -> MatchRateLimit:
    """Return the pace of whoever began matches at these instants, the first first: the last `matches_to_look_at`.

    If there were more before them, nothing is known to have been left then.
    """
    is_all = len(began_s) < matches_to_look_at(matches_per_day)
    pace = MatchRateLimit(matches_per_day, min([*began_s, now_s]), is_full=is_all)
    for began in began_s:
        pace.take(min(began, now_s))
    return pace
