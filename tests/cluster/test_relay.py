"""How the coordinator and a slot elsewhere speak: in batches, in order, and not for ever with nobody."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from arena.executor.child_handle import TransportLostError
from arena.executor.ray import actor_handles as actors
from arena.executor.ray import slot_actor as slot
from arena.executor.ray.remote_worker import RelayedWorker
from arena.executor.ray.slot_actor import Slot
from arena.executor.worker_handle import ExecutorJob
from arena.executor.worker_pool import MOST_MOVES, WorkerPool
from arena.match.result import HostCause, MatchLostError
from tests.support.patience import PATIENCE_S, until
from tests.support.specs import script_spec

ECHO = """
import os, sys
sys.path.insert(0, {root!r})
from arena.hosting.framed_pipe import encode_frame
import json, struct
def send(head): sys.stdout.buffer.write(encode_frame(head)); sys.stdout.flush()
send({{"event": "ready", "secret": os.environ.get("RAY_SECRET"), "words": sys.argv[1:]}})
while len(sizes := sys.stdin.buffer.read(8)) == 8:
    head, blob = struct.unpack(">II", sizes)
    send({{"event": "heard", "head": json.loads(sys.stdin.buffer.read(head))}})
print("that was all", file=sys.stderr)
sys.exit(3)
"""


class Actor:
    """A slot that is called as Ray's actors are."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        method: Callable[..., Any] = getattr(self._made, name)

        def remote(*arguments: Any) -> Any:
            return asyncio.ensure_future(method(*arguments))

        return SimpleNamespace(remote=remote, options=lambda **_: SimpleNamespace(remote=remote))


@pytest.fixture
async def made(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> Slot:
    program = ECHO.format(root=str(pytestconfig.rootpath))
    monkeypatch.setattr(slot, "worker_command", lambda words: [sys.executable, "-c", program, *words])
    monkeypatch.setenv("RAY_SECRET", "a token")
    return Slot(1, 1, 100)


async def test_what_is_told_arrives_in_order_and_how_the_worker_ends_comes_back(made: Slot) -> None:
    heard: list[Mapping[str, Any]] = []
    relay = RelayedWorker(Actor(made), lambda: ["--apart"], lambda head, _: heard.append(head), lambda: None)
    running = asyncio.create_task(relay.run())
    await until(lambda: bool(heard))
    assert heard[0]["secret"] is None  # what Ray's own processes know is not for bots
    assert heard[0]["words"][-1] == "--apart"
    for number in range(20):
        relay.send({"do": "play", "ticket": number})
    await until(lambda: len(heard) == 21)
    assert [one["head"]["ticket"] for one in heard[1:]] == list(range(20))
    relay.stop()
    async with asyncio.timeout(PATIENCE_S):
        assert await running == (True, 3)
    assert relay.last_words() == "that was all"
    assert relay.describe_death(3).cause is HostCause.WORKER_DIED
    assert relay.is_stopping


async def test_orders_are_carried_out_by_their_numbers_however_they_come(made: Slot) -> None:
    await made.send(1, [{"act": "stop"}])
    assert not made._child.is_stopping
    await made.send(0, [])
    assert made._child.is_stopping


class Lost:
    """A slot of which nothing comes back."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def send(self, number: int, orders: object) -> None:
        """Forget it."""

    async def poll(self, *_: object) -> list[list[Any]]:
        if self._error is not None:
            raise self._error
        await asyncio.Event().wait()
        return []


class ActorDiedError(Exception):
    """Ray's own is recognised by its name."""


@pytest.mark.parametrize(
    ("error", "why"),
    [(ActorDiedError(), "what ran there for us has ended"), (RuntimeError("Oh\nno"), "Oh"), (None, "for 1 s")],
)
async def test_a_worker_that_is_out_of_reach_is_lost_with_the_reason(
    error: Exception | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actors.ask, "__defaults__", (None, 1))
    silences: list[bool] = []
    relay = RelayedWorker(Actor(Lost(error)), list, lambda *_: None, lambda: silences.append(True))
    with pytest.raises(TransportLostError, match=why):
        await relay.run()
    assert relay.is_lost
    assert silences == [True]


async def test_one_that_cannot_be_told_what_it_is_to_do_is_lost() -> None:
    def fail(*_: object) -> None:
        raise ValueError("no such thing can be sent")

    actor = Actor(Lost(None))
    told = SimpleNamespace(options=lambda **_: SimpleNamespace(remote=fail))
    relay = RelayedWorker(SimpleNamespace(poll=actor.poll, send=told), list, lambda *_: None, lambda: None)
    running = asyncio.create_task(relay.run())
    await asyncio.sleep(0)
    relay.send({"do": "play"})
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(TransportLostError, match="ValueError: no such thing can be sent"):
            await running


async def test_one_that_is_given_up_is_not_heard_any_more() -> None:
    relay = RelayedWorker(Actor(Lost(None)), list, lambda *_: None, lambda: None)
    running = asyncio.create_task(relay.run())
    await asyncio.sleep(0)
    relay.cut("its machine was lost")
    with pytest.raises(TransportLostError, match="its machine was lost"):
        await running


@pytest.mark.host_fault("node-lost")
async def test_a_match_with_which_machine_after_machine_is_lost_is_lost_itself() -> None:
    pool = WorkerPool(lambda *_: None)
    job = ExecutorJob(script_spec("0:3"))
    for moves in range(1, MOST_MOVES + 1):
        pool.move(job, "its machine was lost")
        assert job.moves == moves
        assert pool.waiting == [job]
        pool._waiting.clear()
    pool.move(job, "its machine was lost")
    with pytest.raises(MatchLostError, match="its machine was lost") as caught:
        await job.report
    assert caught.value.cause is HostCause.NODE_LOST


async def test_a_match_that_waits_for_a_worker_that_is_gone_is_for_every_worker() -> None:
    pool = WorkerPool(lambda *_: None)
    job = ExecutorJob(script_spec("0:3"))
    job.crashes = 1
    pool.take_back(job)
    pool.remove(SimpleNamespace(is_apart=True))  # type: ignore[arg-type]
    assert job.crashes == 0
