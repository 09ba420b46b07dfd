"""The actor that holds one slot of a machine: it runs the worker there, and relays what is said by and to it.

The coordinator orders by `send`, in numbered batches, and keeps one `poll` waiting, which may bring orders with it, and
returns what the worker says:

    ["frame", head, blob]     what the worker wrote
    ["silent"]                it writes no more
    ["ended", spoke, code, output]   `arena.executor.child_handle.ChildProcess.run` has returned

A coordinator that does not poll for long is gone, or has given this machine up: then everything here ends.

Each slot of a machine has cores of its own, whoever started it: a core is taken by locking its file.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from arena.executor.child_handle import ChildProcess, worker_command
from arena.executor.local import memory_options
from arena.executor.ray.library import keep_exit_statuses
from arena.hosting.user_directories import find_base

POLL_S = 5.0
"""A poll returns after so long with nothing, which shows that this machine is alive.

Calls from a thousand slots cost the coordinator much, so it is nearly as long as `actor_handles.py` allows.
"""
ORPHANED_S = 60.0
_LOOK_S = 5.0
_NOT_FOR_BOTS = ("RAY_", "OMP_NUM_THREADS")
"""Variables that Ray sets in its processes: its secrets, and a number of threads."""


class Slot:
    """One worker, and what it says until somebody asks."""

    def __init__(self, cores: int, workers: int, warm_mb: int | None) -> None:
        """Give the worker so many cores; it shares the machine's memory with as many others as make `workers`."""
        self._cores = Cores()
        numbers = self._cores.take(cores)
        pinned = ("--cores", ",".join(map(str, numbers))) if numbers else ()
        self._options = (*pinned, *memory_options(workers, warm_mb))
        self._words: Sequence[str] = ()
        self._child = ChildProcess(
            lambda: worker_command((*self._options, *self._words)),
            lambda head, blob: self._note("frame", dict(head), blob),
            lambda: self._note("silent"),
            says_that_it_goes_on=True,
            not_inherited=_NOT_FOR_BOTS,
        )
        self._said: list[list[Any]] = []
        self._has_news = asyncio.Event()
        self._orders: dict[int, Sequence[Mapping[str, Any]]] = {}
        self._next = 0
        self._life: asyncio.Task[None] | None = None
        self._polled_s = time.monotonic()
        self._guard: asyncio.Task[None] | None = None

    async def begin(self) -> Sequence[int]:
        """Return the cores that it holds, which are none if it may use any."""
        keep_exit_statuses()
        self._guard = asyncio.create_task(self._end_when_orphaned())
        return list(self._cores.numbers)

    async def send(self, number: int, orders: Sequence[Mapping[str, Any]]) -> None:
        """Carry out orders, those of each number after those of the number before."""
        self._orders[number] = orders
        while self._next in self._orders:
            for order in self._orders.pop(self._next):
                if order["act"] == "tell":
                    self._child.send(order["head"])
                elif order["act"] == "run":
                    self._words = order["words"]
                    self._life = asyncio.create_task(self._live())
                elif order["act"] == "stop":
                    self._child.stop()
                elif order["act"] == "kill":
                    self._child.kill()
            self._next += 1

    async def poll(self, number: int, orders: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """Carry out orders as `send` does, and return what was said since the last poll.

        It returns as soon as there is something, or with nothing after POLL_S.
        """
        await self.send(number, orders)
        self._polled_s = time.monotonic()
        if not self._said:
            self._has_news.clear()
            try:
                async with asyncio.timeout(POLL_S):
                    await self._has_news.wait()
            except TimeoutError:
                pass
        said, self._said = self._said, []
        return said

    def _note(self, *event: Any) -> None:
        self._said.append(list(event))
        self._has_news.set()

    async def _live(self) -> None:
        try:
            spoke, code = await self._child.run()
        except Exception as error:  # nobody awaits this task; the coordinator starts the worker anew
            self._note("ended", False, None, f"{type(error).__name__}: {error}")
        else:
            self._note("ended", spoke, code, self._child.last_output())

    async def _end_when_orphaned(self) -> None:
        while time.monotonic() - self._polled_s < ORPHANED_S:
            await asyncio.sleep(_LOOK_S)
        self._child.kill()
        if self._life is not None:
            await asyncio.wait({self._life}, timeout=_LOOK_S)
        os._exit(1)


class Cores:
    """Cores that are held until this process ends."""

    def __init__(self) -> None:
        self._held: list[int] = []
        self.numbers: tuple[int, ...] = ()

    def take(self, count: int) -> tuple[int, ...]:
        """Take so many cores that nobody holds, and return their numbers; none at all if there are fewer."""
        if not hasattr(os, "sched_getaffinity"):
            return ()
        directory = find_base() / f"kingmaker-cores-{os.geteuid()}"
        found: list[int] = []
        with suppress(OSError):
            directory.mkdir(mode=0o700, exist_ok=True)
            for core in sorted(os.sched_getaffinity(0)):
                if len(found) == count:
                    break
                descriptor = os.open(directory / str(core), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    os.close(descriptor)
                else:
                    self._held.append(descriptor)
                    found.append(core)
        if len(found) < count:
            self.give_back()
            return ()
        self.numbers = tuple(found)
        return self.numbers

    def give_back(self) -> None:
        """Let others have them."""
        for descriptor in self._held:
            os.close(descriptor)
        self._held.clear()
        self.numbers = ()
