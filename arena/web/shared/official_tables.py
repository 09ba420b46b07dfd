"""The official tables and the table over all games that pages show: fitted in the background, one after another.

No page waits for them. A fit of many matches takes seconds to minutes. The last one is shown with its time and the
number of its matches until the next is done.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

import structlog

T = TypeVar("T")

_LOG = structlog.get_logger("web")
_LEAST_REST_S: Final = 20.0
_REST_PER_WORK: Final = 10.0
"""After a fit its pool rests for so many times as long as the fit took, so that most of a core stays free."""


class FitError(Exception):
    """A table cannot be fitted; the message says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class CachedTable(Generic[T]):
    """What is known of a table at the moment, the official one of a pool or the one over all games."""

    table: T | None = None
    matches: int = 0
    """How many matches were rated when the table was asked for."""
    at_us: int = 0
    """When it was fitted."""
    why_not: str = ""
    """Why there is none, if the last try failed."""
    is_computing: bool = False
    """Whether another one is being fitted, or will be next."""
    rests_until_s: float = 0.0


class OfficialTables(Generic[T]):
    """Keeps the last table of each pool, and has it fitted anew, by the id of the pool, when more matches are rated."""

    def __init__(self, fit: Callable[[str], T], clock: Callable[[], float] = time.time) -> None:
        self._fit, self._clock = fit, clock
        self._kept: dict[str, CachedTable[T]] = {}
        self._wanted: queue.SimpleQueue[tuple[str, int] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self.turn = 0
        """It is another number as soon as anything else is known of any table."""

    def look(self, pool: str, matches: int) -> CachedTable[T]:
        """Return what is known of the table of a pool in which so many matches are rated; it never waits."""
        with self._lock:
            kept: CachedTable[T] = self._kept.get(pool, CachedTable())
            is_due = matches != kept.matches and self._clock() >= kept.rests_until_s
            if not matches or kept.is_computing or not is_due:
                return kept
            self._kept[pool] = kept = replace(kept, is_computing=True)
            self.turn += 1
            self._wanted.put((pool, matches))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="official tables", daemon=True)
                self._thread.start()
            return kept

    def close(self) -> None:
        """Start no more fits, not even those due, and wait for the one that runs."""
        self._is_closed = True
        self._wanted.put(None)
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while (wanted := self._wanted.get()) is not None and not self._is_closed:
            self._fit_one(*wanted)

    def _fit_one(self, pool: str, matches: int) -> None:
        start = self._clock()
        table, why_not = None, ""
        try:
            table = self._fit(pool)
        except FitError as error:
            why_not = str(error)
        except Exception as error:  # the thread goes on with the other pools
            _LOG.error("an official table was not fitted", pool=pool, error=repr(error))
            why_not = "unknown"
        end = self._clock()
        rest = max(_LEAST_REST_S, _REST_PER_WORK * (end - start))
        with self._lock:
            self._kept[pool] = CachedTable(table, matches, int(end * 1e6), why_not, False, end + rest)
            self.turn += 1
