"""Runs what waits in an event loop of a thread of its own, so that it works in a notebook, whose own loop runs already.

The thread that asked hears the news meanwhile, and Ctrl-C: then the work is cancelled, and ended in good order before
the interrupt goes on. A second one is not waited for. The loop's thread is the one that starts processes: those that
are to die with whoever started them live exactly as long as it does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")
N = TypeVar("N")

Work = Callable[[Callable[[N], None]], Coroutine[Any, Any, T]]
"""Begins the work, given what tells the news."""


def run_in_loop_thread(work: Work[N, T], on_news: Callable[[N], None]) -> T:
    """Return the result of the work, or raise what it raises; `on_news` is called with its news, here.

    If `on_news` raises, or Ctrl-C comes, the work is cancelled and ended, and that goes on.
    """
    running = _Running[N, T](work)
    try:
        running.start()
        while (news := running.news.get()) is not None:
            on_news(news)
    except BaseException:
        running.cancel()
        running.join()
        raise
    running.join()
    return running.result()


def run_silently(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return the result of work that has no news, as `run_in_loop_thread` does."""

    async def begin(_tell: Callable[[None], None]) -> T:
        return await work()

    return run_in_loop_thread(begin, lambda _: None)


class _Running(Generic[N, T]):
    """Work that goes on in a thread of its own."""

    def __init__(self, work: Work[N, T]) -> None:
        self._work = work
        self.news: SimpleQueue[N | None] = SimpleQueue()
        """What it tells; None at its end."""
        self._thread = threading.Thread(target=self._run, name="arena.api", daemon=True)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[T] | None = None
        self._is_cancelled = False
        self._results: list[T] = []
        self._error: BaseException | None = None

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, if it was begun."""
        if self._thread.ident is not None:
            self._thread.join()

    def result(self) -> T:
        """Return what came of it, after its end, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]

    def cancel(self) -> None:
        """Have it end in good order."""
        with self._lock:
            self._is_cancelled = True
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def _run(self) -> None:
        try:
            self._results.append(asyncio.run(self._supervise()))
        except BaseException as error:  # whoever waits is told, whatever it is
            self._error = error
        finally:
            self.news.put(None)

    async def _supervise(self) -> T:
        task = asyncio.ensure_future(self._work(self.news.put))
        with self._lock:
            self._loop, self._task = asyncio.get_running_loop(), task
            if self._is_cancelled:
                task.cancel()
        try:
            return await task
        finally:
            with self._lock:
                self._loop = None
