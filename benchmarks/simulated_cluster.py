"""A cluster that is not there, for `benchmarks.cluster_simulation`: the arena's own pool, nodes and relays on it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from arena.executor.pool import WorkerPool
from arena.executor.ray.agent import CachedProgram, program_json
from arena.executor.ray.node import Archives, ClusterNode, NodeJudge, NodeState, PackedVersion
from arena.executor.ray.relay import RelayedWorker
from arena.executor.worker_process import WorkerProcess
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from benchmarks.simulated_slots import SimulatedSlot, Workers

CORES = 8
"""How many workers a machine has."""


class _Known(Archives):
    """Archives that every machine has already."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)

    async def get(self, directory: str) -> PackedVersion:
        return PackedVersion(Path(directory).name, None, 0)


class _Agent:
    """Finds every program where the coordinator has it."""

    def __init__(self) -> None:
        self.find = SimpleNamespace(remote=self._find)

    async def _find(self, content: str, runtime: str) -> dict[str, Any]:
        return {
            "program": program_json(CachedProgram(f"/versions/{content}", ("python", "main.py"), None, {"of": runtime}))
        }


class SimulatedCluster:
    """An executor with so many workers, all of which are ready when it is entered."""

    def __init__(self, workers: Workers, count: int) -> None:
        self._workers = workers
        self._count = count
        self._pool = WorkerPool(lambda *_: None)
        self._nodes: list[ClusterNode] = []

    async def __aenter__(self) -> Self:
        archives, judge = _Known(), NodeJudge(lambda: self._nodes, lambda *_: None)
        for number in range(-(-self._count // CORES)):
            node = ClusterNode(
                f"{number:012x}", f"machine {number}", CORES, archives, judge, lambda _: self._pool.dispatch()
            )
            node.agent, node.state = _Agent(), NodeState.READY
            self._nodes.append(node)
        for number in range(self._count):
            self._add(self._nodes[number // CORES])
        while not all(worker.is_ready for worker in self._pool.workers):
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._pool.close()

    def _add(self, node: ClusterNode) -> None:
        slot = SimulatedSlot(self._workers)
        calls = self._pool.dispatch, self._pool.take_back, self._pool.play_apart
        self._pool.add(
            WorkerProcess((), *calls, on_lost=self._pool.move, carry=lambda *how: RelayedWorker(slot, *how), place=node)
        )

    def slots(self) -> int:
        return self._count

    async def run(self, spec: MatchSpec) -> MatchReport:
        return await self._pool.run(spec)

    async def cancel(self, match_id: str) -> None:
        self._pool.cancel(match_id)
