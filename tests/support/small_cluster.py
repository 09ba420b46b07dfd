"""A Ray cluster whose machines are raylets of this one."""

from __future__ import annotations

import os
import random
import signal
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partialmethod
from pathlib import Path
from typing import Any
from unittest import mock

from arena.executor.ray.library import PATIENCE, load_ray, part_of_ray
from arena.hosting.procfs.processes import list_descendants, read_relations
from tests.support.patience import PATIENCE_S
from tests.support.processes import command_lines, wait_until

STORE_BYTES = 80 << 20
LOOPBACK = "127.0.0.1"
PORT_PATIENCE = "RAY_gcs_server_port_wait_time_s"
"""So long Ray waits for the port of a head that it has begun."""


class SmallCluster:
    """A head, and machines that come and go."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    @property
    def address(self) -> str:
        """Where its head is."""
        return str(self._cluster.address)

    def add(self, cpus: int = 1) -> Any:
        """Start another machine with so many cores, and return it."""
        return self._cluster.add_node(num_cpus=cpus, object_store_memory=STORE_BYTES, node_ip_address=LOOPBACK)

    @contextmanager
    def machine(self, cpus: int = 1) -> Iterator[Any]:
        """Give another machine with so many cores; it is gone after the block, whatever becomes of that."""
        node = self.add(cpus)
        try:
            yield node
        finally:
            if node in self._cluster.worker_nodes:
                self.kill(node)
                self.remove(node)

    def kill(self, node: Any) -> None:
        """End a machine as a power cut would: its raylet, and all that it had started, by SIGKILL."""
        for pid in processes_of(node):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_head(self) -> None:
        """End the head alone by SIGKILL."""
        (head,) = self._cluster.head_node.all_processes["gcs_server"]
        head.process.kill()
        head.process.wait()

    def remove(self, node: Any, *, is_dead: bool = True) -> None:
        """Have a machine leave, or clear up after one that is dead."""
        self._cluster.remove_node(node, allow_graceful=not is_dead)


def processes_of(node: Any) -> list[int]:
    """Return all processes of a machine, its raylet first; none if that has ended."""
    raylet = node.all_processes["raylet"][0].process
    return list_descendants(raylet.pid) if raylet.poll() is None else []


def port_that_stays_free() -> int:
    """Return a port that is free, and that the kernel gives to nobody who asks for any, as long as no head is there."""
    first, _ = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split())
    for port in random.sample(range(first - 4000, first), 4000):
        with suppress(OSError), socket.create_server((LOOPBACK, port)):
            return port
    raise AssertionError("every port is taken")


@contextmanager
def small_cluster(cpus: int = 1, port: int = 0) -> Iterator[SmallCluster]:
    """Give a cluster whose head has so many cores, at this port or at any, and end it.

    With a port, which another head takes afterwards, it forwards no output.
    """
    load_ray()
    kind = part_of_ray("cluster_utils").Cluster
    patient = partialmethod(kind._wait_for_node, timeout=PATIENCE_S)  # a machine may be too busy for Ray's 30 s
    with warnings.catch_warnings(), mock.patch.dict(os.environ), mock.patch.object(kind, "_wait_for_node", patient):
        os.environ[PORT_PATIENCE] = f"{PATIENCE_S:.0f}"
        os.environ.pop(PATIENCE)  # machines do not inherit it elsewhere, and end when their head is gone
        warnings.simplefilter("ignore")
        head = {"num_cpus": cpus, "object_store_memory": STORE_BYTES, "node_ip_address": LOOPBACK}
        head |= {"gcs_server_port": port, "include_log_monitor": False} if port else {}
        # Neither pages nor a scaling of the cluster: each would be a process of Python that imports Ray.
        made = kind(initialize_head=True, head_node_args={**head, "include_dashboard": False, "no_monitor": True})
    try:
        yield SmallCluster(made)
    finally:
        started = _processes_of_all(made)
        made.shutdown()
        for pid, line in dict(command_lines(started)).items():
            if "arena.worker" not in line:  # Ray's own: some look only once a minute whether their machine lives
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(map(_lives, started)))


def _lives(pid: int) -> bool:
    relations = read_relations(pid)
    return relations is not None and not relations.is_zombie


def _processes_of_all(cluster: Any) -> list[int]:
    """Return all processes of the machines of a cluster that run."""
    found = []
    for node in (cluster.head_node, *cluster.worker_nodes):
        for process in (info.process for kind in node.all_processes.values() for info in kind) if node else ():
            found += [process.pid, *list_descendants(process.pid)]
    return found
