"""Whom a match waits for, and how long: nobody can hold up the others of a ladder by going away again and again."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from arena.match.result import Fault, FaultCause
from arena.remote import waiting
from arena.remote.lobby import Lobby, Member
from arena.remote.values import Guest
from arena.remote.waiting import Place, WaitingRoom
from tests.remote.house import remote_seat, version_of
from tests.support.patience import PATIENCE_S
from tests.support.specs import king_spec


class Line:
    """A connection that takes everything."""

    def post(self, _data: bytes) -> None:
        """Do nothing."""

    def close(self, _error: object = None) -> None:
        """Do nothing."""


class Hall:
    """A lobby and a waiting room whose patience is over at once, until it is made long."""

    def __init__(self) -> None:
        self.lobby = Lobby(lambda _guest, _room: None)
        self.room = WaitingRoom(self.lobby, 0.0)

    def come(self, name: str, owner: str = "ada") -> tuple[Member, Any]:
        line = cast(Any, Line())
        guest = Guest(f"{owner}/{name}", version_of(name, owner=owner), ("foreign_king",), owner)
        return self.lobby.enter(line, guest, 4), line

    async def places(self, *bots: str) -> dict[int, Place]:
        """What a match of these bots, named `owner/name`, begins with."""
        seats = [remote_seat(name, owner=owner) for owner, name in (bot.split("/") for bot in bots)]
        async with asyncio.timeout(PATIENCE_S):
            return dict(await self.room.wait(king_spec("m", seats)))


@pytest.fixture
async def hall(monkeypatch: pytest.MonkeyPatch) -> Hall:
    """A hall in which a match has waited for a bot of eve's in vain, and will wait for anybody else for long."""
    monkeypatch.setattr(waiting, "SHORT_PATIENCE_S", 0.0)
    hall = Hall()
    hall.come("fox")
    assert isinstance((await hall.places("ada/fox", "eve/elk"))[1], Fault)
    hall.room._patience_s = 1e9
    return hall


async def test_matches_hardly_wait_for_an_owner_whose_bot_was_waited_for_in_vain(hall: Hall) -> None:
    place = (await hall.places("ada/fox", "eve/another"))[1]
    assert isinstance(place, Fault)
    assert place.cause is FaultCause.START_FAILED
    assert "was waited for in vain" in place.explanation


async def test_it_is_seated_all_the_same_if_it_is_there(hall: Hall) -> None:
    hall.come("elk", "eve")
    places = await hall.places("ada/fox", "eve/elk")
    assert not [place for place in places.values() if isinstance(place, Fault)]


async def test_others_are_waited_for_as_before(hall: Hall) -> None:
    waits = asyncio.create_task(hall.places("ada/fox", "joe/owl"))
    await asyncio.sleep(0)
    assert not waits.done()
    hall.come("owl", "joe")
    assert len(await waits) == 2


async def test_after_a_while_it_is_waited_for_again(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "DISTRUST_S", 0.0)
    waits = asyncio.create_task(hall.places("ada/fox", "eve/elk"))
    await asyncio.sleep(0)
    assert not waits.done()
    hall.come("elk", "eve")
    assert len(await waits) == 2
