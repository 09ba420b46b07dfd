"""Joins a cluster as one that gives orders, and leaves it: quietly, and never longer than it takes.

Calls of Ray that may wait for ever are made in threads that nobody waits for.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from arena.executor.interface import ExecutorFailedError
from arena.executor.ray.head_address import Head, find_head
from arena.executor.ray.library import NAMESPACE, keep_exit_statuses, keep_handler, load_ray, part_of_ray
from arena.hosting.prctl import PR_SET_CHILD_SUBREAPER, prctl
from engine.translatable import Text

JOIN_S = 30.0
LEAVE_S = 10.0
LOOK_S = 20.0
"""A head that does not tell its nodes for so long is gone."""
_ALONE = threading.Lock()
"""Held while Ray is begun or shut down: one that nobody waits for any more goes on, and the next must not meet it."""
_Found = TypeVar("_Found")


async def apart(call: Callable[[], _Found], limit_s: float) -> _Found:
    """Return what a blocking call returns, made in a thread of its own. Raises TimeoutError, and what it raises."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Found] = loop.create_future()

    def tell(result: _Found | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result, failure = None, None
        try:
            result = call()
        except BaseException as error:
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, result, failure)

    threading.Thread(target=work, daemon=True).start()
    async with asyncio.timeout(limit_s):
        return await done


async def join(address: str) -> Head:
    """Join the cluster whose head is at `address`, or that Ray finds by itself. Raises ExecutorFailedError."""
    ray = load_ray()
    head = await find_head(address)
    _keep_quiet()
    if not await _is_joined(head.address):
        message = Text(
            "this machine is not in the cluster; `ray start --address {address}` joins it, with --num-cpus 0 "
            "if nothing is to be played here",
            address=head.address,
        )
        raise ExecutorFailedError(message)
    if head.is_closed:
        # Else Ray asks the network for another address of this machine, at which that head does not listen.
        part_of_ray("_private.ray_constants").ENABLE_RAY_CLUSTER = False

    def enter() -> None:
        with _ALONE, keep_handler(signal.SIGTERM):
            ray.init(
                address=head.address,
                namespace=NAMESPACE,
                log_to_driver=False,
                configure_logging=False,
                ignore_reinit_error=True,
            )
        keep_exit_statuses()
        # Ray has whoever loses its parent become a child of this process, which waits for none but its own.
        prctl(PR_SET_CHILD_SUBREAPER, 0)

    try:
        await apart(enter, JOIN_S)
    except TimeoutError:
        message = Text("the head at {address} does not let us join; see its log", address=head.address)
        raise ExecutorFailedError(message) from None
    except Exception as error:  # whatever Ray raises
        why = " ".join(str(error).split())[:300]
        message = Text("the head at {address} does not let us join: {why}; see its log", address=head.address, why=why)
        raise ExecutorFailedError(message) from error
    return head


async def _is_joined(address: str) -> bool:
    """Return whether a Ray of that cluster answers here; Ray itself looks for a minute, or ends this process."""
    if not await apart(part_of_ray("_private.services").find_node_ids, JOIN_S):
        return False
    with suppress(Exception):  # whatever Ray raises
        return await apart(lambda: any(map(_listens, _sockets(address))), JOIN_S)
    return False


def _sockets(address: str) -> list[str]:
    """Return where each machine of a cluster is spoken to by its own programs."""
    nodes = part_of_ray("_raylet").GcsClient(address=address).get_all_node_info(timeout=JOIN_S).values()
    alive = part_of_ray("core.generated.gcs_pb2").GcsNodeInfo.ALIVE
    return [node.raylet_socket_name for node in nodes if node.state == alive]


def _listens(path: str) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.connect(path)
        return True
    return False


async def leave() -> None:
    """Leave the cluster: whatever was started there by us ends."""

    def go() -> None:
        with _ALONE, keep_handler(signal.SIGTERM):
            load_ray().shutdown()

    with suppress(Exception):  # a head that is gone cannot be left in order
        await apart(go, LEAVE_S)


async def look_at_nodes() -> Sequence[Mapping[str, Any]]:
    """Return what the head knows of the machines of the cluster. Raises ExecutorFailedError if it is gone."""
    try:
        return await apart(_ask_for_nodes, LOOK_S)
    except Exception as error:  # whatever Ray raises
        why = Text("the head of the cluster does not answer any more; start it again")
        raise ExecutorFailedError(why) from error


async def are_cores_held(count: int) -> bool:
    """Return whether there are machines with so many cores, and none has as many free; False if the head is silent."""
    with suppress(Exception):  # whatever Ray raises; who looks at the machines then tells it
        found = await apart(_ask_for_cores, LOOK_S)
        free = [free for all_, free in found if all_ >= count]
        return bool(free) and max(free) < count
    return False


def _ask_for_cores() -> list[tuple[float, float]]:
    """Return how many cores each machine has, and how many are free."""
    client = part_of_ray("_private.worker").global_worker.gcs_client
    rows = client.get_all_resource_usage(timeout=LOOK_S).resource_usage_data.batch
    return [(row.resources_total.get("CPU", 0), row.resources_available.get("CPU", 0)) for row in rows]


def _ask_for_nodes() -> list[dict[str, Any]]:
    """Return what `ray.nodes` would; that waits for ever for a head that is gone, or ends this process."""
    client = part_of_ray("_private.worker").global_worker.gcs_client
    alive = part_of_ray("core.generated.gcs_pb2").GcsNodeInfo.ALIVE
    return [
        {
            "NodeID": node.node_id.hex(),
            "Alive": node.state == alive,
            "Resources": dict(node.resources_total),
            "NodeManagerHostname": node.node_manager_hostname,
        }
        for node in client.get_all_node_info(timeout=LOOK_S).values()
    ]


def _keep_quiet() -> None:
    """Have Ray print nothing of its own on this process's terminal: what matters is told by us, once."""
    worker = part_of_ray("_private.worker")
    worker.print_to_stdstream = lambda *_, **__: None
