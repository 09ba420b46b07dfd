"""Measures what this process computes beside its event loop, which plays the matches: gRPC's threads and others."""

from __future__ import annotations

import time


class Beside:
    """To be made and asked by the thread of the event loop."""

    def __init__(self) -> None:
        self._last = self._now()

    def since_last(self) -> tuple[float, float]:
        """Return how many seconds were computed, and have passed, since the last call."""
        before, self._last = self._last, self._now()
        return self._last[0] - before[0], self._last[1] - before[1]

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.process_time() - time.thread_time(), time.monotonic()
