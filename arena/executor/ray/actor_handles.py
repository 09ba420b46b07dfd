"""Makes, asks and ends the actors of a coordinator. Ray never makes them again: the coordinator decides what is lost.

The machine of an actor may be lost, or stand still, so that nobody waits for an answer for ever.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from typing import Any

from arena.executor.child_handle import TransportLostError
from arena.executor.ray.agent import NodeAgent
from arena.executor.ray.library import load_ray, part_of_ray
from arena.executor.ray.slot_actor import Slot
from engine.translatable import Text

AGENT = "node-"
"""The names of agents begin so."""
SILENCE_S = 15
"""A machine that answers nothing for so many seconds is given up; what it says later is not heard."""
_GONE = {
    "ActorUnavailableError": Text("it is out of reach"),
    "ActorDiedError": Text("what ran there for us has ended"),
    "NodeDiedError": Text("Ray holds it for dead"),
}


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


async def ask(reference: Awaitable[Any], cut: asyncio.Event | None = None, limit_s: int = SILENCE_S) -> Any:
    """Return what a call of an actor returns. Raises TransportLostError if it fails, does not come, or after a `cut`.

    Seconds in which this process stood still itself do not count.
    """
    answer = asyncio.ensure_future(_await(reference))
    answer.add_done_callback(_look)
    cutting = asyncio.ensure_future((cut or asyncio.Event()).wait())
    try:
        for _ in range(limit_s):
            await asyncio.wait({answer, cutting}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            if cutting.done():
                raise TransportLostError("it was given up")
    finally:
        answer.cancel()
        cutting.cancel()
    raise TransportLostError(Text("it has said nothing for {count} s", count=limit_s))


async def _await(reference: Awaitable[Any]) -> Any:
    try:
        return await reference
    except Exception as error:  # whatever Ray raises
        lines = str(error).strip().splitlines() or [type(error).__name__]
        # The commonest of them have pages of their own words.
        raise TransportLostError(_GONE.get(type(error).__name__) or lines[0].strip()[:200]) from error


def _look(answer: asyncio.Future[Any]) -> None:
    """Have an error count as seen that nobody waits for any more."""
    if not answer.cancelled():
        answer.exception()
