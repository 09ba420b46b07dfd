"""Whom a match waits for, and how long: nobody can hold up the others of a ladder by going away again and again."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from arena.match.result import Fault, FaultCause
from arena.remote import waiting
from arena.remote.connection import BotIdentity
from arena.remote.lobby import Lobby, Member
from arena.remote.waiting import Place, WaitingRoom
from tests.remote.running import remote_seat, version_of
from tests.support.patience import PATIENCE_S
from tests.support.specs import king_spec


class Line:
    """A connection that takes everything."""

    def post(self, _data: bytes) -> None:
        """Do nothing."""

    def close(self, _error: object = None) -> None:
        """Do nothing."""


class RemoteMatches:
    """A lobby and a waiting room whose patience is over at once, until it is made long."""

    def __init__(self) -> None:
        self.lobby = Lobby(lambda _guest, _room: None)
        self.room = WaitingRoom(self.lobby, 0.0)

    def come(self, name: str, owner: str = "ada", room: int = 4) -> tuple[Member, Any]:
        line = cast(Any, Line())
        guest = BotIdentity(f"{owner}/{name}", version_of(name, owner=owner), ("foreign_king",), owner)
        return self.lobby.enter(line, guest, room), line

    async def places(self, *bots: str, match_id: str = "m", is_rated: bool = True) -> dict[int, Place]:
        """What a match of these bots, named `owner/name`, begins with."""
        seats = [remote_seat(name, owner=owner) for owner, name in (bot.split("/") for bot in bots)]
        async with asyncio.timeout(PATIENCE_S):
            return dict(await self.room.wait(king_spec(match_id, seats, is_rated=is_rated)))

    def order(self, *bots: str, match_id: str, is_rated: bool) -> asyncio.Task[dict[int, Place]]:
        return asyncio.create_task(self.places(*bots, match_id=match_id, is_rated=is_rated))

    def end_match(self, match_id: str, *bots: str) -> None:
        for owner, name in (bot.split("/") for bot in bots):
            self.lobby.unseat(version_of(name, owner=owner), match_id, is_over=True)


@pytest.fixture
async def matches(monkeypatch: pytest.MonkeyPatch) -> RemoteMatches:
    """Matches that have waited for a bot of eve's in vain, and will wait for anybody else for long."""
    monkeypatch.setattr(waiting, "SHORT_PATIENCE_S", 0.0)
    matches = RemoteMatches()
    matches.come("fox")
    assert isinstance((await matches.places("ada/fox", "eve/elk"))[1], Fault)
    matches.room._patience_s = 1e9
    return matches


async def test_matches_hardly_wait_for_an_owner_whose_bot_was_waited_for_in_vain(matches: RemoteMatches) -> None:
    place = (await matches.places("ada/fox", "eve/another"))[1]
    assert isinstance(place, Fault)
    assert place.cause is FaultCause.START_FAILED
    assert "was waited for in vain" in place.explanation


async def test_it_is_seated_all_the_same_if_it_is_there(matches: RemoteMatches) -> None:
    matches.come("elk", "eve")
    places = await matches.places("ada/fox", "eve/elk")
    assert not [place for place in places.values() if isinstance(place, Fault)]


async def test_others_are_waited_for_as_before(matches: RemoteMatches) -> None:
    waits = asyncio.create_task(matches.places("ada/fox", "joe/owl"))
    await asyncio.sleep(0)
    assert not waits.done()
    matches.come("owl", "joe")
    assert len(await waits) == 2


async def test_after_a_while_it_is_waited_for_again(matches: RemoteMatches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "DISTRUST_S", 0.0)
    waits = asyncio.create_task(matches.places("ada/fox", "eve/elk"))
    await asyncio.sleep(0)
    assert not waits.done()
    matches.come("elk", "eve")
    assert len(await waits) == 2


class Clock:
    """Stands in for the event loop of a room, whose time goes on only when a test says so."""

    def __init__(self, matches: RemoteMatches) -> None:
        self.now_s = 0.0
        self.create_future = asyncio.get_running_loop().create_future
        matches.lobby._loop = matches.room._loop = cast(Any, self)

    def time(self) -> float:
        return self.now_s

    async def pass_by(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


@pytest.mark.hostile("remote-come-and-go-in-turns")
async def test_two_that_come_and_go_in_turns_are_not_waited_for_for_ever() -> None:
    clock = Clock(matches := RemoteMatches())
    matches.room._patience_s = 1000.0
    matches.come("fox")
    waits = matches.order("ada/fox", "eve/elk", "eve/emu", match_id="m", is_rated=True)
    for turn in range(12):
        member, line = matches.come(("elk", "emu")[turn % 2], "eve")
        await clock.pass_by(400.0)
        matches.lobby.leave(member, line)
    assert waits.done()
    places = waits.result()
    assert {place.cause for place in places.values() if isinstance(place, Fault)} == {FaultCause.START_FAILED}


async def test_a_bot_that_was_here_most_of_the_time_is_waited_for() -> None:
    clock = Clock(matches := RemoteMatches())
    matches.room._patience_s = 1000.0
    matches.come("fox", room=1)
    await matches.places("ada/fox", match_id="before")
    waits = matches.order("ada/fox", "eve/elk", match_id="m", is_rated=True)
    for _ in range(5):
        member, line = matches.come("elk", "eve")
        await clock.pass_by(900.0)
        matches.lobby.leave(member, line)
        await clock.pass_by(100.0)
    assert not waits.done()
    matches.come("elk", "eve")
    matches.end_match("before", "ada/fox")
    assert not [place for place in (await waits).values() if isinstance(place, Fault)]


async def test_rated_and_unrated_matches_take_turns_in_the_room_of_a_bot() -> None:
    matches = RemoteMatches()
    matches.room._patience_s = 1e9
    matches.come("fox", room=1)
    order = [matches.order("ada/fox", match_id=f"u{number}", is_rated=False) for number in range(4)]
    await asyncio.sleep(0)
    order += [matches.order("ada/fox", match_id=f"r{number}", is_rated=True) for number in range(2)]
    begun = []
    for _ in range(6):
        done, _ = await asyncio.wait(set(order), return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
        (match_id,) = matches.lobby._by_version[version_of("fox")].seats
        begun.append(match_id)
        order = [task for task in order if task not in done]
        matches.end_match(match_id, "ada/fox")
    assert begun == ["u0", "r0", "u1", "r1", "u2", "u3"]


async def test_unrated_matches_of_two_bots_in_turns_do_not_keep_their_rated_one_from_beginning() -> None:
    matches = RemoteMatches()
    matches.room._patience_s = 1e9
    for name in ("fox", "owl"):
        matches.come(name, room=1)
        await matches.places(f"ada/{name}", match_id=name, is_rated=False)
    waits = [
        matches.order(f"ada/{name}", match_id=f"{name}{number}", is_rated=False)
        for number in (1, 2)
        for name in ("fox", "owl")
    ]
    rated = matches.order("ada/fox", "ada/owl", match_id="rated", is_rated=True)
    await asyncio.sleep(0)
    matches.end_match("fox", "ada/fox")
    matches.end_match("owl", "ada/owl")
    assert len(await rated) == 2
    assert not any(task.done() for task in waits)
    for task in waits:
        task.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
