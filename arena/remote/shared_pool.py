"""The processes of hosted bots that play beside remote ones: at most so many matches have some at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Self

from arena.hosting.errors import HostingError
from arena.worker.process_pool import ProcessPool


class SharedProcessPool:
    """Opens a pool when the first match needs one, and another one when that is broken. Async context manager."""

    def __init__(self, most_matches: int, warm_bots: int, warm_mb: int | None) -> None:
        """Let at most `most_matches` have hosted bots at once; for the rest see `ProcessPool`."""
        self._semaphore = asyncio.Semaphore(most_matches)
        self._most_warm = warm_bots, warm_mb
        self._opening = asyncio.Lock()
        self._pool: ProcessPool | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Open nothing yet."""
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End every hosted process."""
        await self._stack.aclose()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[ProcessPool]:
        """Lend the pool to a match when it is its turn. Raises HostingError."""
        async with self._semaphore:
            pool = await self._find()
            try:
                yield pool
            except HostingError:
                await self._give_up(pool)
                raise

    async def _find(self) -> ProcessPool:
        async with self._opening:
            if self._pool is None:
                self._pool = await self._stack.enter_async_context(ProcessPool(*self._most_warm))
            return self._pool

    async def _give_up(self, pool: ProcessPool) -> None:
        """Close a pool in which something failed; the next match opens another."""
        async with self._opening:
            if self._pool is pool:
                self._pool = None
                stack, self._stack = self._stack, AsyncExitStack()
                await stack.aclose()
