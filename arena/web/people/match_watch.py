"""Watches the match of a table for as long as it is played; what happens is told in the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Lock, Thread

from arena.model.live import MatchEvent

Watch = Callable[[str], Iterator[MatchEvent]]
"""Yields the events of a match, from its start to its end. Raises ClientError."""
Opened = tuple[Watch, Callable[[], None]]
"""A watch, and what breaks it off."""
PAUSE_S = 1.0
"""How long to wait before a watch that broke off is begun again."""


class MatchWatch:
    """One match that is watched by a thread of its own. Its methods are called in the event loop."""

    def __init__(
        self,
        match: str,
        opener: Callable[[], Opened],
        on_event: Callable[[MatchEvent], None],
        on_break: Callable[[], None],
    ) -> None:
        """`on_event` is told every event, the first ones again after `on_break` was told that the watch broke off."""
        self._match = match
        self._opener = opener
        self._on_event, self._on_break = on_event, on_break
        self._loop = asyncio.get_running_loop()
        self._closed = Event()
        self._lock = Lock()
        self._break_off: Callable[[], None] | None = None
        Thread(target=self._run, name=f"table {match}", daemon=True).start()

    def close(self) -> None:
        """Hear nothing more."""
        with self._lock:
            self._closed.set()
            if self._break_off is not None:
                self._break_off()
                self._break_off = None

    def _run(self) -> None:
        while not self._closed.is_set():
            if self._watch():
                return
            self._call_in_loop(self._on_break)
            self._closed.wait(PAUSE_S)

    def _watch(self) -> bool:
        """Return whether the match was watched to its end, or to the end of this watching."""
        watch = self._open()
        if watch is None:
            return True
        is_over = False
        with suppress(Exception):  # the service is away, or is stopping: the seat tells of it, and it is tried again
            for event in watch(self._match):
                if self._closed.is_set():
                    return True
                is_over = event.end is not None and not event.end.lost
                self._call_in_loop(lambda event=event: self._on_event(event))  # type: ignore[misc]
        self._end()
        return is_over

    def _open(self) -> Watch | None:
        with self._lock:
            if self._closed.is_set():
                return None
            watch, self._break_off = self._opener()
            return watch

    def _end(self) -> None:
        with self._lock:
            if self._break_off is not None:
                self._break_off()
                self._break_off = None

    def _call_in_loop(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended, and nobody listens
            self._loop.call_soon_threadsafe(act)
