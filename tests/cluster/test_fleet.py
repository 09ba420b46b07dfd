"""What a coordinator makes of the machines that the head tells of, with machines that the test pretends."""

from types import SimpleNamespace

import pytest

from arena.executor.ray.fleet import AGAIN_S, MOST_UNANSWERED, RETURN_S
from arena.executor.ray.node import NodeState
from arena.executor.transport import TransportLostError
from tests.cluster.pretended import World, end
from tests.support.patience import until
from tests.support.specs import script_spec, seat_spec


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
