"""What becomes of machines that lose their matches, and of the matches, on machines that the test pretends."""

import pytest

from arena.executor.ray.fleet import RETURN_S
from arena.executor.ray.node import NodeState, NodeTally
from arena.match.result import HostCause
from tests.cluster.pretended import World, cancel, end
from tests.support.patience import until
from tests.support.specs import script_spec


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
