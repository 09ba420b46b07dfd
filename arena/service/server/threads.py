"""Runs what blocks, the database above all, in a few threads of its own, so that the event loop never waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 6
_MOST_KEPT = 1000


class Threads:
    """The threads in which calls are worked on. `close` is called once."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="owners")
        self._shared: dict[Hashable, tuple[float, asyncio.Future[Any]]] = {}

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns; it runs to its end even if nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, partial(function, *args, **kwargs))

    async def share(self, key: Hashable, function: Callable[[], T], fresh_s: float) -> T:
        """Return what the function returns, or what it returned to another one with this key a moment ago."""
        loop = asyncio.get_running_loop()
        asked_at, answer = self._shared.get(key, (float("-inf"), None))
        if answer is None or loop.time() - asked_at >= fresh_s:
            answer = loop.run_in_executor(self._pool, function)
            if len(self._shared) >= _MOST_KEPT:
                self._shared.clear()
            self._shared[key] = loop.time(), answer
        # One watcher that leaves must not end what the others wait for.
        result: T = await asyncio.shield(answer)
        return result

    def close(self) -> None:
        """Let what runs come to its end, and start nothing more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
