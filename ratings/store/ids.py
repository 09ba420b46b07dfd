"""Identifiers and instants: UUID version 7 as text (RFC 9562), and UTC in integer microseconds.

Python has `uuid.uuid7` from 3.14 on; this stands in for it until then.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

_COUNTER_BITS = 42
_COUNTER_LIMIT = 1 << _COUNTER_BITS


def now_us() -> int:
    """Return the present instant: UTC, in microseconds since 1970."""
    return time.time_ns() // 1000


class IdSource:
    """Makes UUIDv7 text that ascends strictly, also within one millisecond and when the system clock steps back.

    It follows RFC 9562 section 6.2, method 1: a 42-bit counter that starts at random in every millisecond, then 32
    random bits. Threads may share a source.
    """

    def __init__(self, clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._clock_ms = clock_ms
        self._lock = threading.Lock()
        self._last_ms = -1
        self._counter = 0

    def __call__(self) -> str:
        """Return the next id."""
        tail = int.from_bytes(os.urandom(4), "big")
        with self._lock:
            milliseconds, counter = self._advance()
        high, low = counter >> 30, counter & 0x3FFF_FFFF
        value = milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low << 32 | tail
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _advance(self) -> tuple[int, int]:
        milliseconds = self._clock_ms()
        if milliseconds > self._last_ms:
            self._last_ms = milliseconds
            # The top bit starts as 0, so that every millisecond has room for 2^41 ids or more.
            self._counter = int.from_bytes(os.urandom(6), "big") & (_COUNTER_LIMIT // 2 - 1)
        else:
            self._counter += 1
            if self._counter == _COUNTER_LIMIT:
                self._last_ms, self._counter = self._last_ms + 1, 0
        return self._last_ms, self._counter


new_id = IdSource()
"""The process's own source of ids."""
