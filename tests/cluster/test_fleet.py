"""What a coordinator makes of the machines that the head tells of, and of those that are lost or lose their matches.

The machines are pretended by the test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from arena.executor.child_handle import TransportLostError
from arena.executor.ray import fleet as fleet_module
from arena.executor.ray import remote_worker as relay
from arena.executor.ray.fleet import AGAIN_S, MOST_UNANSWERED, RETURN_S, Fleet
from arena.executor.ray.node import ClusterNode, NodeState, NodeTally
from arena.executor.ray.proving import Demands, RayOptions
from arena.executor.worker_handle import WorkerProcess
from arena.executor.worker_pool import WorkerPool
from arena.match.result import HostCause
from arena.match.worker_report import MatchReport
from tests.support.patience import until
from tests.support.specs import script_spec, seat_spec


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


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> World:
    made = World(**getattr(request, "param", {}))
    monkeypatch.setattr(fleet_module, "make_agent", made.make)
    monkeypatch.setattr(fleet_module, "make_slot", made.make)
    monkeypatch.setattr(fleet_module, "end_actor", lambda actor: setattr(actor, "has_ended", True))
    monkeypatch.setattr(relay, "TOGETHER_S", 0.0)
    monkeypatch.setattr(fleet_module, "prove", made.prove)
    return made


async def test_every_core_of_a_machine_that_proved_itself_gets_a_worker(world: World) -> None:
    await world.look(a=2, b=1, head=0)
    assert world.slots() == {"a": 2, "b": 1}
    assert len(world.pool.workers) == 3
    assert world.fleet.has_settled
    await end(world)


@pytest.mark.parametrize("world", [{"workers": 3}], indirect=True)
async def test_no_more_are_asked_for_than_are_wanted_the_emptiest_machine_first(world: World) -> None:
    await world.look(a=4, b=4)
    assert world.slots() == {"a": 2, "b": 1}
    await world.look(b=4)  # the other one is lost
    await world.look(b=4)
    assert world.slots() == {"b": 3}
    await end(world)


@pytest.mark.parametrize("world", [{"cores": 2}], indirect=True)
async def test_a_worker_with_more_cores_takes_them_all_from_one_machine(world: World) -> None:
    await world.look(a=5, b=1)
    assert world.slots() == {"a": 2}
    await end(world)


async def test_a_machine_that_is_refused_is_told_of_once_and_looked_at_again(world: World) -> None:
    world.problems["a"] = ["it has another clock"]
    for _ in range(3):
        await world.look(a=1, b=1)
        await world.look(a=1, b=1)  # not again at once
        world.fleet._due["a"] -= AGAIN_S
    assert world.slots() == {"b": 1}
    assert world.said == ["machine a (a) gets no matches: it has another clock"]
    assert sum(actor.node_id == "a" for actor in world.actors) == 3
    world.problems.clear()
    await world.look(a=1, b=1)
    assert world.slots() == {"a": 1, "b": 1}
    assert world.said[1:] == ["machine a (a) plays again"]
    await end(world)


async def test_a_machine_that_left_is_told_of_and_proves_itself_anew_when_it_is_back(world: World) -> None:
    await world.look(a=1, b=1)
    first = world.node("a")
    await world.look(b=1)
    assert world.said == ["machine a (a) was lost (it left the cluster); what it played is played again elsewhere"]
    assert world.slots() == {"b": 1}
    assert first.state is NodeState.LOST
    await world.look(a=1, b=1)
    assert world.node("a") is not first
    assert world.slots() == {"a": 1, "b": 1}
    await end(world)


async def test_one_that_stands_still_is_not_asked_again_at_once(world: World) -> None:
    await world.look(a=1, b=1)
    world.fleet._lose(world.node("a"), "it has said nothing for 15 s")
    await world.look(a=1, b=1)
    assert world.slots() == {"b": 1}
    world.fleet._due["a"] -= RETURN_S
    await world.look(a=1, b=1)
    assert world.slots() == {"a": 1, "b": 1}
    assert world.said[-1] == "machine a (a) plays again"
    await end(world)


async def test_one_that_does_not_answer_is_asked_again_before_that_is_told_as_the_head_may_know_soon_that_it_is_dead(
    world: World,
) -> None:
    world.gone = {"a"}
    for times in range(MOST_UNANSWERED + 1):
        assert world.said == [], times
        await world.look(a=1, b=1)
        world.fleet._due["a"] -= RETURN_S
    assert world.said == ["machine a (a) gets no matches: it does not answer: it is out of reach"]
    await end(world)


async def test_a_machine_whose_agent_is_gone_is_lost_when_that_is_asked_for_something(world: World) -> None:
    await world.look(a=1, b=1)

    def fail() -> None:
        raise TransportLostError("what ran there for us has ended")

    world.node("a")._archives = SimpleNamespace(get=lambda _: fail())  # type: ignore[assignment]
    spec = script_spec("0:3", seats=(seat_spec(0, "x"), seat_spec(1, "x")))
    assert not world.node("a").takes(spec)
    await until(lambda: world.node("a").state is NodeState.LOST)
    assert world.slots() == {"b": 1}
    await end(world)


async def test_where_no_machine_can_play_every_reason_is_told(world: World) -> None:
    await world.look(head=0)
    assert "has no machine with a core" in world.fleet.why_empty()
    world.problems = {"a": ["it has another clock"]}
    world.gone = {"b"}
    await world.look(a=1, b=1)
    assert not world.fleet.has_hope
    assert world.fleet.why_empty() == (
        "no machine of the cluster can play: a (a): it has another clock; b (b): it does not answer: it is out of reach"
    )
    await end(world)


@pytest.mark.host_fault("report-that-cannot-be-read")
async def test_what_a_machine_had_is_played_elsewhere_if_what_it_says_cannot_be_read(world: World) -> None:
    await world.look(a=1, b=1)
    runs = await world.wait_for_workers(3)
    first, second = world.pool.workers
    first.is_ready = True
    world.pool.dispatch()
    second.is_ready = True
    assert first.load + len(world.pool.waiting) == 3
    world.actor_of(first).said.put_nowait([["frame", {"event": "report", "ticket": 0}, b""]])
    await until(lambda: second.load + len(world.pool.waiting) == 3)
    assert [node.state for node in world.fleet._nodes.values()].count(NodeState.REFUSED) == 1
    assert "a worker cannot be served: KeyError" in world.said[0]
    await cancel(runs)
    await end(world)


@pytest.mark.host_fault("slot-killed-at-a-node")
async def test_a_machine_that_loses_slot_after_slot_with_a_match_each_is_drained(world: World) -> None:
    await world.look(a=1, b=1)
    world.node("a").tally.finished, world.node("b").tally.finished = 60, 10
    runs = await world.wait_for_workers(1)
    for lost in range(10):
        assert world.said == []
        assert world.node("b").tally.void == lost
        worker = next(one for one in world.pool.workers if one.place is world.node("b"))
        worker.is_ready = True
        world.pool.dispatch()
        assert worker.load == 1
        world.actor_of(worker).said.put_nowait(RuntimeError("it was killed"))
        await until(lambda: worker not in world.pool.workers)  # noqa: B023 - it is awaited in this turn
        world.pool._jobs["m0"].moves = 0
        await until(lambda: not world.fleet._tasks)
        await world.look(a=1, b=1)
    assert world.said == ["machine b (b) gets no more matches: 10 of its 20 matches were void, far more than elsewhere"]
    assert world.slots() == {"a": 1}
    await cancel(runs)
    await end(world)


@pytest.mark.host_fault("node-lost")
async def test_a_machine_that_is_lost_whole_counts_once_and_how_it_did_is_known_when_it_is_back(world: World) -> None:
    await world.look(a=1, b=2)
    world.node("b").tally.finished = 3
    runs = await world.wait_for_workers(2)
    for worker in world.pool.workers:
        worker.is_ready = worker.place is world.node("b")
    world.pool.dispatch()
    assert [worker.load for worker in world.pool.workers if worker.is_ready] == [1, 1]
    await world.look(a=1)
    await until(lambda: len(world.pool.waiting) == 2)
    await world.look(a=1, b=2)
    assert world.node("b").state is NodeState.READY
    assert world.node("b").tally == NodeTally(finished=3, void=1)
    await cancel(runs)
    await world.look(a=1)
    await world.look(a=1, b=2)
    assert world.node("b").tally.void == 1, "nothing was played there"
    await end(world)


async def test_matches_that_we_end_ourselves_are_no_loss_of_their_machine(world: World) -> None:
    await world.look(a=1)
    node = world.node("a")
    runs = await world.wait_for_workers(1)
    world.pool.workers[0].is_ready = True
    world.pool.dispatch()
    assert world.pool.workers[0].load == 1
    await end(world)
    await cancel(runs)
    assert node.tally == NodeTally()


async def test_a_drained_machine_that_was_lost_is_drained_still_when_it_is_back(world: World) -> None:
    await world.look(a=1, b=1)
    world.fleet._drain(world.node("b"), "11 of its 20 matches were void")
    world.fleet._lose(world.node("b"), "it has said nothing for 15 s")
    world.fleet._due["b"] -= RETURN_S
    await world.look(a=1, b=1)
    assert (world.node("b").state, world.node("b").why) == (NodeState.DRAINED, "11 of its 20 matches were void")
    assert world.slots() == {"a": 1}
    await world.look(b=1)
    await world.look(b=1)
    assert world.node("b").state is NodeState.READY
    assert world.node("b").tally == NodeTally()
    await end(world)


async def test_a_drained_machine_gives_its_cores_back_and_plays_again_if_it_is_the_last(world: World) -> None:
    await world.look(a=1, b=1)
    world.node("a").tally = NodeTally(60, 0)
    world.node("b").tally = NodeTally(9, 10)
    world.node("b").note_loss(script_spec("0:3"), HostCause.WORKER_DIED)
    assert world.node("b").state is NodeState.DRAINED
    assert world.said == ["machine b (b) gets no more matches: 11 of its 20 matches were void, far more than elsewhere"]
    await world.look(a=1, b=1)
    assert world.slots() == {"a": 1}
    await world.look(b=1)
    await world.look(b=1)
    assert world.slots() == {"b": 1}
    assert world.node("b").state is NodeState.READY
    await end(world)
