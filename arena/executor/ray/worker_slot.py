"""One slot for a worker on a machine as its coordinator has it, from the moment in which it was asked for."""

from __future__ import annotations

import asyncio
from typing import Any

from arena.executor.pool import WorkerPool
from arena.executor.ray.asking import ask
from arena.executor.ray.node import ClusterNode
from arena.executor.ray.relay import RelayedWorker
from arena.executor.transport import TransportLostError
from arena.executor.worker_process import ExecutorJob, WorkerProcess

TOGETHER_S = 2.0
"""So long a machine may take to end, from its first slot to its agent."""
_LOOK_S = 5


class WorkerSlot:
    """A slot, and the worker in it as soon as the machine has given it a core."""

    def __init__(self, node: ClusterNode, actor: Any) -> None:
        """`actor` is the handle of the slot."""
        self.node = node
        self.actor = actor
        self.worker: WorkerProcess | None = None
        self.transport: RelayedWorker | None = None
        self.has_lost_match = False
        """Whether a match was played in it when it was lost."""

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
