"""How many tables an address may open within an hour. No I/O."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from arena.web.people.errors import TooManyTablesError

_HOUR_S = 3600.0
_MOST_ADDRESSES = 10_000
"""Those that opened one longest ago are forgotten."""


class TableRateLimit:
    """Counts the tables that were opened, by address."""

    def __init__(self, per_hour: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_hour = per_hour
        self._clock = clock
        self._opened: OrderedDict[str, deque[float]] = OrderedDict()

    def count(self, address: str) -> None:
        """Count another table. Raises TooManyTablesError, with the time to wait, and counts nothing then."""
        times = self._opened.setdefault(address, deque(maxlen=self._per_hour))
        now = self._clock()
        if len(times) == self._per_hour and times[0] > now - _HOUR_S:
            minutes = max(1, round((times[0] + _HOUR_S - now) / 60))
            raise TooManyTablesError(
                f"from your address {self._per_hour} tables were opened within an hour; try again in {minutes} minutes",
                most=self._per_hour,
                count=minutes,
            )
        times.append(now)
        self._opened.move_to_end(address)
        while len(self._opened) > _MOST_ADDRESSES:
            self._opened.popitem(last=False)
