"""One slot of a machine as its coordinator has it, from the moment in which it was asked for."""

from __future__ import annotations

from typing import Any

from arena.executor.pool import WorkerPool
from arena.executor.ray.node import Node
from arena.executor.ray.relay import RelayedWorker
from arena.executor.worker_process import WorkerProcess


class Berth:
    """A slot, and the worker in it as soon as the machine has given it a core."""

    def __init__(self, node: Node, actor: Any) -> None:
        """`actor` is the handle of the slot."""
        self.node = node
        self.actor = actor
        self.worker: WorkerProcess | None = None
        self.carrier: RelayedWorker | None = None

    def make_worker(self, pool: WorkerPool) -> WorkerProcess:
        """Return a worker in this slot that plays for a pool."""

        def carry(*how: Any) -> RelayedWorker:
            self.carrier = RelayedWorker(self.actor, *how)
            return self.carrier

        calls = pool.dispatch, pool.take_back, pool.play_apart
        self.worker = WorkerProcess((), *calls, on_lost=pool.move, carry=carry, place=self.node)
        return self.worker
