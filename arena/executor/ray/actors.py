"""Makes and ends the actors of a coordinator: never made again by Ray, since the coordinator decides what is lost."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from arena.executor.ray.agent import NodeAgent
from arena.executor.ray.library import load_ray, part_of_ray
from arena.executor.ray.slot import Slot

AGENT = "node-"
"""The names of agents begin so."""


def make_agent(node_id: str, tables: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return a new agent on a machine."""
    name = f"{AGENT}{node_id[:12]}-{secrets.token_hex(4)}"
    return _make(NodeAgent, node_id, num_cpus=0, name=name).remote(tables)


def agents_of(node_id: str) -> list[Any]:
    """Return the agents of all coordinators on a machine."""
    names = part_of_ray("util").list_named_actors()
    found = []
    for name in names:
        if name.startswith(f"{AGENT}{node_id[:12]}-"):
            with suppress(ValueError):  # it has just ended
                found.append(load_ray().get_actor(name))
    return found


def make_slot(node_id: str, cores: int, workers: int, warm_mb: int | None) -> Any:
    """Return a new slot on a machine, which waits until that has so many cores free."""
    return _make(Slot, node_id, num_cpus=cores).remote(cores, workers, warm_mb)


def end_actor(actor: Any) -> None:
    """End an actor at once; nothing happens if it has ended."""
    with suppress(Exception):  # whatever Ray raises of one that it does not reach
        load_ray().kill(actor, no_restart=True)


def put(data: bytes) -> Any:
    """Keep bytes in the cluster's store of objects, as long as what is returned is kept."""
    return load_ray().put(data)


def _make(kind: type, node_id: str, **options: Any) -> Any:
    affinity = part_of_ray("util.scheduling_strategies").NodeAffinitySchedulingStrategy(node_id, soft=False)
    return load_ray().remote(kind).options(max_restarts=0, max_task_retries=0, scheduling_strategy=affinity, **options)
