"""A worker of another machine as the coordinator has it: sent messages in batches, and polled for what it says.

A `WorkerSlot` is its place there, from the moment in which the slot was asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from arena.executor.child_handle import BEAT, Handle, TransportLostError, WorkerArguments, describe_death, last_line
from arena.executor.ray.actor_handles import ask
from arena.executor.ray.node import ClusterNode
from arena.executor.worker_handle import ExecutorJob, WorkerProcess
from arena.executor.worker_pool import WorkerPool
from arena.match.result import MatchLostError

LINGER_S = 0.003
"""So long a poll waits for orders to take along, which saves a call."""
TOGETHER_S = 2.0
"""So long a machine may take to end, from its first slot to its agent."""
_LOOK_S = 5


class RelayedWorker:
    """A `WorkerTransport` whose worker is run by an `arena.executor.ray.slot_actor.Slot` on another machine."""

    def __init__(self, slot: Any, words: WorkerArguments, handle: Handle, on_silent: Callable[[], None]) -> None:
        """`slot` is the handle of the actor."""
        self._slot = slot
        self._words = words
        self._handle = handle
        self._on_silent = on_silent
        self._orders: list[Mapping[str, Any]] = []
        self._has_orders = asyncio.Event()
        self._is_polling = False
        self._has_heard = False
        self._number = 0
        self._output = ""
        self._is_stopping = False
        self._is_cut = asyncio.Event()
        self._why = "it was ended"
        self.is_lost = False  # whether its machine or its slot was lost with it

    async def run(self) -> tuple[bool, int | None]:
        self._output = ""
        self._order({"act": "run", "words": list(self._words())})
        if self._is_stopping:
            self._order({"act": "stop"})
        try:
            while True:
                for event in await self._poll():
                    if event[0] == "ended":
                        _, spoke, code, self._output = event
                        return spoke, code
                    if event[0] == "silent":
                        self._on_silent()
                    elif event[1]["event"] != BEAT:
                        self._handle(event[1], event[2])
        except TransportLostError as error:
            self.is_lost = True
            self._on_silent()
            raise TransportLostError(self._why if self._is_cut.is_set() else str(error)) from error

    @property
    def is_stopping(self) -> bool:
        return self._is_stopping

    def stop(self) -> None:
        self._is_stopping = True
        self._order({"act": "stop"})

    def kill(self) -> None:
        self._order({"act": "kill"})
        self._is_cut.set()

    def cut(self, why: str) -> None:
        """Give the worker up, because its machine is out of reach: `run` raises TransportLostError with the reason."""
        self._why = why
        self._is_cut.set()

    def send(self, head: Mapping[str, Any]) -> None:
        self._order({"act": "tell", "head": head})

    def last_output(self) -> str:
        return self._output

    def last_words(self) -> str:
        return last_line(self._output)

    def describe_death(self, code: int | None) -> MatchLostError:
        return describe_death(code, self._output)

    async def _poll(self) -> list[list[Any]]:
        """Return what the slot says next; what was heard last brings new orders, mostly, which go with the call."""
        if self._has_heard and not self._orders:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    await self._has_orders.wait()
        self._is_polling = True
        try:
            said: list[list[Any]] = await ask(self._slot.poll.remote(*self._batch()), self._is_cut)
            self._has_heard = bool(said)
            return said
        finally:
            self._is_polling = False

    def _order(self, order: Mapping[str, Any]) -> None:
        """Have an order sent together with all that are given before the event loop goes on."""
        if not self._orders and self._is_polling:
            asyncio.get_running_loop().call_soon(self._send_orders)
        self._orders.append(order)
        self._has_orders.set()

    def _send_orders(self) -> None:
        if not self._orders:
            return  # a poll that has begun meanwhile took them along
        try:
            self._slot.send.options(num_returns=0).remote(*self._batch())
        except Exception as error:  # whatever Ray raises; the worker would wait for ever for what it was not told
            self.cut(f"{type(error).__name__}: {error}")

    def _batch(self) -> tuple[int, list[Mapping[str, Any]]]:
        """Return the orders that were not sent yet, with the number of their batch."""
        batch = self._number, self._orders
        self._number += 1
        self._orders = []
        self._has_orders.clear()
        return batch


class WorkerSlot:
    """A slot, and the worker in it as soon as the machine has given it a core."""

    def __init__(self, node: ClusterNode, actor: Any) -> None:
        """`actor` is the handle of the slot."""
        self.node = node
        self.actor = actor
        self.worker: WorkerProcess | None = None
        self.transport: RelayedWorker | None = None
        self.has_lost_match = False  # whether a match was played in it when it was lost

    def make_worker(self, pool: WorkerPool) -> WorkerProcess:
        """Return a worker in this slot that plays for a pool."""

        def carry(*how: Any) -> RelayedWorker:
            self.transport = RelayedWorker(self.actor, *how)
            return self.transport

        def lose(job: ExecutorJob, why: str) -> None:
            self.has_lost_match = True
            pool.move(job, why)

        calls = pool.dispatch, pool.take_back, pool.play_apart
        self.worker = WorkerProcess((), *calls, on_lost=lose, carry=carry, place=self.node)
        return self.worker

    @property
    def has_match(self) -> bool:
        """Whether a match is played in it, or was when it was lost."""
        return self.has_lost_match or (self.worker is not None and self.worker.load > 0)

    async def was_lost_alone(self) -> bool:
        """Return whether its machine goes on without it: also a moment later, as one that ends loses slot by slot."""
        try:
            await ask(self.node.agent.clock.remote(), self.node.cut, _LOOK_S)
            if self.has_lost_match:
                await asyncio.sleep(TOGETHER_S)
                await ask(self.node.agent.clock.remote(), self.node.cut, _LOOK_S)
        except TransportLostError:
            return False
        return True
