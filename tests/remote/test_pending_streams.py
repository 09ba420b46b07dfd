"""Many streams that do not join, and many questions whether a bot may: they are in the way of their own author only."""

from __future__ import annotations

import asyncio

import pytest

from arena.remote.keyed_semaphore import KeyedSemaphore
from arena.remote.pending_streams import PendingStreams
from arena.remote.values import FULL, StreamRefusedError
from arena.wire.status import Status


class Stream:
    def __init__(self) -> None:
        self.ending: Status | None = None

    def close(self, error: Status | None = None) -> None:
        self.ending = error


@pytest.mark.hostile("remote-opens-streams-without-joining")
def test_one_address_that_fills_the_doorway_gives_way_to_another() -> None:
    pending, crowd = PendingStreams(4), [Stream() for _ in range(4)]
    for stream in crowd:
        pending.enter("eve", stream)
    pending.enter("ada", Stream())
    assert [stream.ending for stream in crowd] == [FULL, None, None, None]


@pytest.mark.hostile("remote-opens-streams-without-joining")
def test_whoever_has_most_of_a_full_doorway_is_refused() -> None:
    pending = PendingStreams(4)
    for address in ("eve", "eve", "ada", "ada"):
        pending.enter(address, Stream())
    with pytest.raises(StreamRefusedError) as refused:
        pending.enter("eve", Stream())
    assert refused.value.error is FULL


def test_those_that_joined_are_in_nobodys_way() -> None:
    pending, first = PendingStreams(1), Stream()
    pending.enter("eve", first)
    pending.leave("eve", first)
    pending.enter("ada", Stream())
    pending.leave("eve", first)
    assert first.ending is None


class Work:
    """Counts who has begun, and ends when it may."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = asyncio.Event()

    async def do(self, name: str) -> str:
        self.begun.append(name)
        await self.may_end.wait()
        return name


async def idle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_everybody_waits_behind_his_own_only() -> None:
    semaphore, work = KeyedSemaphore(1), Work()
    asking = [
        asyncio.create_task(semaphore.run(name[0], lambda name=name: work.do(name)))  # type: ignore[misc]
        for name in ("e1", "e2", "a1")
    ]
    await idle()
    assert work.begun == ["e1", "a1"]
    work.may_end.set()
    assert await asyncio.gather(*asking) == ["e1", "e2", "a1"]
    assert not semaphore._semaphores


async def test_a_turn_lasts_although_nobody_waits_for_it_any_more() -> None:
    semaphore, work = KeyedSemaphore(1), Work()
    gone = asyncio.create_task(semaphore.run("e", lambda: work.do("e1")))
    await idle()
    gone.cancel()
    waits = asyncio.create_task(semaphore.run("e", lambda: work.do("e2")))
    given_up = asyncio.create_task(semaphore.run("e", lambda: work.do("e3")))
    await idle()
    given_up.cancel()
    assert work.begun == ["e1"]
    work.may_end.set()
    assert await waits == "e2"
    await idle()
    assert (work.begun, semaphore._semaphores) == (["e1", "e2"], {})


async def test_what_is_refused_is_raised() -> None:
    async def refuse() -> str:
        raise StreamRefusedError(FULL)

    with pytest.raises(StreamRefusedError):
        await KeyedSemaphore(1).run("e", refuse)
