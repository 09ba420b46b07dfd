"""The machines of a cluster and the workers on them: they are proved, filled with workers, given up when they are lost.

A machine that was given up is proved again if the head still has it; nothing that it was told before counts there, but
how it did.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from arena.executor.child_handle import TransportLostError
from arena.executor.interface import ExecutorFailedError
from arena.executor.ray.actor_handles import ask, end_actor, make_agent, make_slot, put
from arena.executor.ray.node import Archives, ClusterNode, NodeJudge, NodeState, NodeTally
from arena.executor.ray.proving import RayOptions, prove, why_not
from arena.executor.ray.remote_worker import WorkerSlot
from arena.executor.worker_handle import WorkerProcess
from arena.executor.worker_pool import WorkerPool
from engine.translatable import Text, all_of, placed

AGAIN_S = 60.0
"""A machine that was refused is proved again after so long."""
RETURN_S = 5.0
"""One that was lost, if the head still has it."""
MOST_UNANSWERED = 4
_EVER_S = 10**9


class Fleet:
    """All machines that the head has told of."""

    def __init__(self, options: RayOptions, pool: WorkerPool) -> None:
        self._options = options
        self._pool = pool
        self._archives = Archives(put)
        self._judge = NodeJudge(lambda: self._nodes.values(), self._drain)
        self._nodes: dict[str, ClusterNode] = {}
        self._tallies: defaultdict[str, NodeTally] = defaultdict(NodeTally)
        self._due: dict[str, float] = {}  # when a machine that was given up or refused may be proved again
        self._told: dict[str, str] = {}  # what people were told last of each machine that was refused
        self._unanswered: Counter[str] = Counter()  # how often each machine did not answer when it was to prove itself
        self._slots: list[WorkerSlot] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self.has_looked = False

    # What is known.

    @property
    def has_settled(self) -> bool:
        """Whether every machine is decided on, and every slot that was asked for has begun."""
        is_deciding = any(node.state is NodeState.JOINING for node in self._nodes.values())
        return self.has_looked and not is_deciding and all(slot.worker is not None for slot in self._slots)

    @property
    def has_hope(self) -> bool:
        """Whether any machine plays, or may soon."""
        return any(node.state in (NodeState.JOINING, NodeState.READY) for node in self._nodes.values())

    def why_empty(self) -> str:
        """Return why nothing can be played."""
        reasons = [placed(node.name, node.why) for node in self._nodes.values() if node.why]
        if not reasons:
            return Text(
                "the cluster has no machine with a core to play on; join one with `ray start --address HOST:PORT`"
            )
        return Text("no machine of the cluster can play: {why}", why=all_of(reasons))

    # Machines.

    def look(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Learn which machines there are now, as Ray tells it."""
        now_s = asyncio.get_running_loop().time()
        alive = {row["NodeID"]: row for row in rows if row["Alive"]}
        for node in list(self._nodes.values()):
            if node.id not in alive:
                self._lose(node, Text("it left the cluster"))
                del self._nodes[node.id]
            elif node.state in (NodeState.REFUSED, NodeState.LOST) and now_s >= self._due.get(node.id, 0):
                del self._nodes[node.id]
        for node_id, row in alive.items():
            cpus = int(row["Resources"].get("CPU", 0))
            if node_id not in self._nodes and cpus >= self._options.cores:
                name = f"{row['NodeManagerHostname']} ({node_id[:6]})"
                node = self._nodes[node_id] = ClusterNode(node_id, name, cpus, self._archives, self._judge, self._learn)
                node.on_silent, node.tally = self._lose, self._tallies[node_id]
                self._begin(self._admit(node))
        self.has_looked = True
        self._recall_drained()
        for slot in list(self._slots):
            if slot.node.state is NodeState.DRAINED and (slot.worker is None or not slot.worker.load):
                self._leave(slot, "its machine was drained")
        self._fill()
        self._refuse_what_nobody_plays()
        for node in self._nodes.values():
            if node.state in (NodeState.READY, NodeState.DRAINED):
                slots = sum(slot.node is node and slot.worker is not None for slot in self._slots)
                node.agent.note.options(num_returns=0).remote({**node.to_json(), "slots": slots})

    async def _admit(self, node: ClusterNode) -> None:
        node.agent = make_agent(node.id, self._options.runtimes)
        try:
            problems = await prove(node, self._options.demands)
        except TransportLostError as error:
            problems = [why_not(error)]
            self._unanswered[node.id] += 1
        else:
            del self._unanswered[node.id]
        if node.state is not NodeState.JOINING:
            return  # it was lost meanwhile
        if problems:
            self._refuse(node, all_of(problems))
        elif node.tally.verdict:
            node.state, node.why = NodeState.DRAINED, node.tally.verdict
        else:
            node.state = NodeState.READY
            if self._told.pop(node.id, None) is not None:
                self._options.report(Text("machine {name} plays again", name=node.name))
            self._fill()

    def _refuse(self, node: ClusterNode, why: str) -> None:
        """Let a machine play nothing, and tell people once why; one that does not answer is asked again first."""
        node.state, node.why = NodeState.REFUSED, why
        is_silent = 0 < self._unanswered[node.id] <= MOST_UNANSWERED
        self._due[node.id] = asyncio.get_running_loop().time() + (RETURN_S if is_silent else AGAIN_S)
        if not is_silent and self._told.get(node.id) != why:
            self._told[node.id] = why
            self._options.report(Text("machine {name} gets no matches: {why}", name=node.name, why=why))
        self._abandon(node)

    def _learn(self, problem: str) -> None:
        """Hand out what waits, now that more is known of what a machine can play; tell what it cannot."""
        self._pool.dispatch()
        if problem:
            self._options.report(problem)

    def _drain(self, node: ClusterNode, why: str) -> None:
        """Give a machine no more matches; what it plays is finished."""
        node.state, node.why = NodeState.DRAINED, why
        node.tally.verdict = why
        self._options.report(Text("machine {name} gets no more matches: {why}", name=node.name, why=why))

    def _recall_drained(self) -> None:
        """Let machines that were drained play again where there is no other."""
        if self.has_hope:
            return
        for node in self._nodes.values():
            if node.state is NodeState.DRAINED:
                node.tally = self._tallies[node.id] = NodeTally()
                node.state, node.why = NodeState.READY, ""
                self._options.report(Text("machine {name} plays again", name=node.name))

    def _lose(self, node: ClusterNode, why: str, *lost: WorkerSlot) -> None:
        """Give a machine up, with slots already `lost`: its matches move, and what it says later is ignored."""
        if node.state in (NodeState.LOST, NodeState.REFUSED):
            return
        was_playing = node.state in (NodeState.READY, NodeState.DRAINED)
        if any(slot.has_match for slot in (*lost, *self._slots) if slot.node is node):
            node.count_loss()
        node.state, node.why = NodeState.LOST, why
        self._due[node.id] = asyncio.get_running_loop().time() + RETURN_S
        if was_playing:
            self._told[node.id] = why
            self._options.report(
                Text(
                    "machine {name} was lost ({why}); what it played is played again elsewhere", name=node.name, why=why
                )
            )
        self._abandon(node)

    def _abandon(self, node: ClusterNode) -> None:
        node.give_up()
        for slot in [slot for slot in self._slots if slot.node is node]:
            self._leave(slot, f"its machine {node.name} was lost")
        end_actor(node.agent)

    # Workers.

    def _fill(self) -> None:
        """Ask for slots on the machines that play, the emptiest first, up to as many as are wanted."""
        most = self._options.workers or _EVER_S
        coming = [node for node in self._nodes.values() if node.state in (NodeState.READY, NodeState.JOINING)]
        is_complete = all(node.state is NodeState.READY for node in coming)
        share = most if is_complete else -(-most // len(coming))  # the first one to be proved does not take all
        while not self._is_closed and len(self._slots) < most:
            room = [node for node in coming if self._room(node) > 0 and self._held(node) < share]
            if not room:
                return
            node = max(room, key=self._room)
            count = node.cpus // self._options.cores
            actor = make_slot(node.id, self._options.cores, count, self._options.warm_mb)
            slot = WorkerSlot(node, actor)
            self._slots.append(slot)
            self._begin(self._open(slot))

    def _room(self, node: ClusterNode) -> int:
        if node.state is not NodeState.READY:
            return 0
        return node.cpus // self._options.cores - self._held(node)

    def _held(self, node: ClusterNode) -> int:
        return sum(slot.node is node for slot in self._slots)

    async def _open(self, slot: WorkerSlot) -> None:
        """Wait until a slot has its cores, then put a worker into it."""
        try:
            await ask(slot.actor.begin.remote(), slot.node.cut, int(_EVER_S))
        except TransportLostError as error:
            await self._look_after(slot, str(error))
            return
        if slot not in self._slots or self._is_closed:
            return
        self._pool.add(slot.make_worker(self._pool))

    def end_worker(self, worker: WorkerProcess, why: str) -> None:
        """Learn that a worker cannot be run any more: its slot was lost, or it does not start there."""
        slot = next((slot for slot in self._slots if slot.worker is worker), None)
        self._pool.remove(worker)
        if slot is None:
            return
        if slot.transport is not None and slot.transport.is_lost:
            self._begin(self._look_after(slot, why))
        else:
            self._refuse(slot.node, why)

    async def _look_after(self, slot: WorkerSlot, why: str) -> None:
        """Find out whether a slot was lost alone, or with its machine."""
        self._leave(slot, f"its slot at {slot.node.name} was lost")
        if slot.node.state in (NodeState.LOST, NodeState.REFUSED):
            return
        if not await slot.was_lost_alone():
            self._lose(slot.node, why, slot)
        elif slot.has_lost_match:
            slot.node.count_loss()

    def _leave(self, slot: WorkerSlot, why: str) -> None:
        """Give up a slot: its worker gives back what it has, and ends."""
        if slot not in self._slots:
            return
        self._slots.remove(slot)
        end_actor(slot.actor)
        if slot.transport is not None:
            slot.transport.cut(why)

    # Matches.

    def _refuse_what_nobody_plays(self) -> None:
        """Fail the matches that wait and that no machine can play, with a reason."""
        ready = [node for node in self._nodes.values() if node.state is NodeState.READY]
        if not ready or any(node.state is NodeState.JOINING for node in self._nodes.values()):
            return
        for job in self._pool.waiting:
            refusals = [node.refusal(job.spec) for node in ready]
            if all(refusals) and refusals[0] is not None:
                self._pool.refuse(job, refusals[0])

    # The end.

    def close(self) -> None:
        """Begin nothing any more."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()

    def end(self) -> None:
        """End all actors; the workers were ended before."""
        for slot in list(self._slots):
            self._leave(slot, Text("the executor was closed"))
        for node in self._nodes.values():
            node.give_up()
            end_actor(node.agent)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._look_back)

    def _look_back(self, task: asyncio.Task[None]) -> None:
        """Let an error that nobody awaits end everything, or matches would wait for ever."""
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._pool.fail(ExecutorFailedError(f"the cluster cannot be followed: {type(error).__name__}: {error}"))
