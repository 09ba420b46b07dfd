"""Machines that are not there, and the fleet that a coordinator makes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from arena.executor.child_handle import TransportLostError
from arena.executor.ray.fleet import Fleet
from arena.executor.ray.node import ClusterNode
from arena.executor.ray.proving import Demands, RayOptions
from arena.executor.worker_handle import WorkerProcess
from arena.executor.worker_pool import WorkerPool
from arena.match.worker_report import MatchReport
from tests.support.patience import until
from tests.support.specs import script_spec


class Machine:
    """An actor of a machine: it answers everything at once, and what its worker says to polls."""

    def __init__(self, node_id: str) -> None:
        self.node_id = node_id
        self.said: asyncio.Queue[list[Any] | Exception] = asyncio.Queue()
        self.has_ended = False

    def __getattr__(self, name: str) -> Any:
        def remote(*_: object) -> Any:
            return asyncio.ensure_future(self._answer(name))

        return SimpleNamespace(remote=remote, options=lambda **_: SimpleNamespace(remote=remote))

    async def _answer(self, name: str) -> Any:
        said = await self.said.get() if name == "poll" else []
        if isinstance(said, Exception):
            raise said
        return said


class World:
    """The machines, what is wrong with each, and what people were told."""

    def __init__(self, **options: Any) -> None:
        self.problems: dict[str, list[str]] = {}
        self.gone: set[str] = set()
        self.actors: list[Machine] = []
        self.said: list[str] = []
        self.pool = WorkerPool(lambda worker, why: self.fleet.end_worker(worker, why))
        self.fleet = Fleet(RayOptions(report=self.said.append, **options), self.pool)

    def make(self, node_id: str, *_: object) -> Machine:
        self.actors.append(Machine(node_id))
        return self.actors[-1]

    async def prove(self, node: ClusterNode, _: Demands) -> list[str]:
        if node.id in self.gone:
            raise TransportLostError("it is out of reach")
        return self.problems.get(node.id, [])

    async def look(self, **cpus: int) -> None:
        """Let the head tell of machines with so many cores each."""
        self.fleet.look([row(node_id, count) for node_id, count in cpus.items()])
        await until(lambda: not self.fleet._tasks)

    async def wait_for_workers(self, matches: int) -> list[asyncio.Task[MatchReport]]:
        """Have so many matches wait, which every machine can play."""
        for node in self.fleet._nodes.values():
            node.takes = lambda spec: bool(spec)  # type: ignore[method-assign]
        specs = [script_spec("0:3", match_id=f"m{number}") for number in range(matches)]
        runs = [asyncio.create_task(self.pool.run(spec)) for spec in specs]
        await until(lambda: len(self.pool.waiting) == matches)
        return runs

    def slots(self) -> dict[str, int]:
        """How many slots are held on each machine."""
        living = [one.node.id for one in self.fleet._slots]
        return {node_id: living.count(node_id) for node_id in sorted(set(living))}

    def actor_of(self, worker: WorkerProcess) -> Machine:
        (actor,) = (one.actor for one in self.fleet._slots if one.worker is worker)
        assert isinstance(actor, Machine)
        return actor

    def node(self, node_id: str) -> ClusterNode:
        return self.fleet._nodes[node_id]


def row(node_id: str, cpus: int) -> Mapping[str, Any]:
    return {"NodeID": node_id, "Alive": True, "NodeManagerHostname": node_id, "Resources": {"CPU": float(cpus)}}


async def cancel(runs: list[asyncio.Task[MatchReport]]) -> None:
    for run in runs:
        run.cancel()
    await asyncio.gather(*runs, return_exceptions=True)


async def end(world: World) -> None:
    world.fleet.close()
    world.fleet.end()
    await until(lambda: not world.pool.workers)
    assert all(actor.has_ended for actor in world.actors)
