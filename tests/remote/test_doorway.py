"""Many streams that do not join, and many questions whether a bot may: they are in the way of their own author only."""

from __future__ import annotations

import asyncio

import pytest

from arena.referee.errors import StreamError
from arena.remote.doorway import Doorway
from arena.remote.turns import Turns
from arena.remote.values import FULL, RefusedError


class Stream:
    def __init__(self) -> None:
        self.ending: StreamError | None = None

    def close(self, error: StreamError | None = None) -> None:
        self.ending = error


@pytest.mark.hostile("remote-fills-the-doorway")
def test_one_address_that_fills_the_doorway_gives_way_to_another() -> None:
    doorway, crowd = Doorway(4), [Stream() for _ in range(4)]
    for stream in crowd:
        doorway.enter("eve", stream)
    doorway.enter("ada", Stream())
    assert [stream.ending for stream in crowd] == [FULL, None, None, None]


@pytest.mark.hostile("remote-fills-the-doorway")
def test_whoever_has_most_of_a_full_doorway_is_refused() -> None:
    doorway = Doorway(4)
    for address in ("eve", "eve", "ada", "ada"):
        doorway.enter(address, Stream())
    with pytest.raises(RefusedError) as refused:
        doorway.enter("eve", Stream())
    assert refused.value.error is FULL


def test_those_that_joined_are_in_nobodys_way() -> None:
    doorway, first = Doorway(1), Stream()
    doorway.enter("eve", first)
    doorway.leave("eve", first)
    doorway.enter("ada", Stream())
    doorway.leave("eve", first)
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
    turns, work = Turns(1), Work()
    asking = [asyncio.create_task(turns.run(name[0], lambda name=name: work.do(name))) for name in ("e1", "e2", "a1")]  # type: ignore[misc]
    await idle()
    assert work.begun == ["e1", "a1"]
    work.may_end.set()
    assert await asyncio.gather(*asking) == ["e1", "e2", "a1"]
    assert not turns._turns


async def test_a_turn_lasts_although_nobody_waits_for_it_any_more() -> None:
    turns, work = Turns(1), Work()
    gone = asyncio.create_task(turns.run("e", lambda: work.do("e1")))
    await idle()
    gone.cancel()
    waits = asyncio.create_task(turns.run("e", lambda: work.do("e2")))
    given_up = asyncio.create_task(turns.run("e", lambda: work.do("e3")))
    await idle()
    given_up.cancel()
    assert work.begun == ["e1"]
    work.may_end.set()
    assert await waits == "e2"
    await idle()
    assert (work.begun, turns._turns) == (["e1", "e2"], {})


async def test_what_is_refused_is_raised() -> None:
    async def refuse() -> str:
        raise RefusedError(FULL)

    with pytest.raises(RefusedError):
        await Turns(1).run("e", refuse)
