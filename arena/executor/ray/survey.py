"""Looks at a cluster from outside: machines prove themselves, and what coordinators say of them is put together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from arena.executor.child_handle import TransportLostError
from arena.executor.interface import ExecutorFailedError
from arena.executor.ray.actor_handles import agents_of, ask, end_actor, make_agent, put
from arena.executor.ray.node import Archives, ClusterNode, NodeJudge, NodeState
from arena.executor.ray.proving import Demands, prove, why_not
from arena.executor.ray.session import join, leave, look_at_nodes
from engine.translatable import all_of

ANSWER_S = 5


@dataclass(frozen=True, slots=True)
class NodeView:
    """One machine as people are shown it."""

    id: str
    name: str
    state: str
    why: str
    """Why it is refused or drained; empty if it is neither."""
    cores: int
    slots: int
    """How many of its cores coordinators use now."""
    arena: str | None
    python: str | None
    offset_ms: float | None
    """By how much its clock is ahead."""
    trip_ms: float | None
    """How long a question and its answer take."""
    finished: int
    """Matches of the coordinators that run now."""
    void: int
    slow: int

    def to_json(self) -> dict[str, Any]:
        """Return the view as JSON data."""
        return asdict(self)


async def survey(address: str) -> list[NodeView]:
    """Return the machines of the cluster with that head, by name. Raises ExecutorFailedError."""
    await join(address)
    try:
        alive = [row for row in await look_at_nodes() if row["Alive"]]
        views = await asyncio.gather(*map(_look, alive))
    finally:
        await leave()
    return sorted(views, key=lambda view: view.name)


async def _look(row: Mapping[str, Any]) -> NodeView:
    node_id, cores = row["NodeID"], int(row["Resources"].get("CPU", 0))
    name = f"{row['NodeManagerHostname']} ({node_id[:6]})"
    node = ClusterNode(node_id, name, cores, Archives(put), NodeJudge(list, lambda *_: None))
    said = [one for one in await asyncio.gather(*map(_ask, agents_of(node_id))) if one]
    node.agent = make_agent(node_id, {})
    try:
        problems = await prove(node, Demands())
    except TransportLostError as error:
        problems = [why_not(error)]
    end_actor(node.agent)
    drained = [one["why"] for one in said if one["state"] == NodeState.DRAINED]
    state = NodeState.REFUSED if problems else NodeState.DRAINED if drained else NodeState.READY
    why = all_of(problems or drained)
    clock = node.clock
    return NodeView(
        id=node.id,
        name=node.name,
        state=state.value,
        why=why,
        cores=node.cpus,
        slots=sum(one["slots"] for one in said),
        arena=node.facts.get("arena"),
        python=node.facts.get("python"),
        offset_ms=None if clock is None else round(1000 * clock.offset_s, 1),
        trip_ms=None if clock is None else round(1000 * clock.trip_s, 1),
        finished=sum(one["finished"] for one in said),
        void=sum(one["void"] for one in said),
        slow=sum(one["slow"] for one in said),
    )


async def _ask(agent: Any) -> Mapping[str, Any]:
    """Return what a coordinator said of a machine; nothing if it has just ended."""
    with suppress(TransportLostError, ExecutorFailedError):
        found: Mapping[str, Any] = await ask(agent.state.remote(), limit_s=ANSWER_S)
        return found
    return {}
