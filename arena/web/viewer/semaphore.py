"""Lets few do at once what takes long, and tells those behind a short queue to come back: others need threads, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import ClassVar

from engine.text import Text


class TooManyWaitingError(Exception):
    """Too many wait for what takes long; the message says what to do."""

    kind: ClassVar[str] = "unavailable"


class QueueingSemaphore:
    """A semaphore held by up to `at_once`, with a queue: holders and waiters are `most` together. Safe for threads."""

    def __init__(self, at_once: int, most: int) -> None:
        self._inside = BoundedSemaphore(at_once)
        self._waiting = BoundedSemaphore(most)

    @contextmanager
    def acquired(self) -> Iterator[None]:
        """Wait until it is our turn. Raises TooManyWaitingError if too many wait."""
        if not self._waiting.acquire(blocking=False):
            raise TooManyWaitingError(
                Text(
                    "web.many_ask_what_takes_while",
                    "many ask for what takes a while to work out; try again in some seconds",
                )
            )
        try:
            with self._inside:
                yield
        finally:
            self._waiting.release()
