"""Who leaves gets no new match, plays on in those that run, and has its stream ended when they are over."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import grpc
import pytest

from arena.match.report import MatchReport
from arena.v1 import play_pb2
from tests.remote.running import RunningProcess, remote_seat
from tests.support.patience import until
from tests.support.remote_bot import RemoteBot

pytestmark = pytest.mark.asyncio(loop_scope="session")
LEAVE = play_pb2.PlayRequest(leave=play_pb2.Leave())
NO_NEW_MATCH = -1


class Held:
    """Answers nothing until it is let go."""

    def __init__(self) -> None:
        self.free = asyncio.Event()

    async def __call__(self, bot: RemoteBot, decide: play_pb2.Decide) -> None:
        await self.free.wait()
        await bot.act(decide)


async def ended_in_order(bot: RemoteBot) -> bool:
    await bot.ended.wait()
    assert bot.status is not None
    return bot.status.code == grpc.StatusCode.OK.value[0]


def queue(house: RunningProcess, name: str, *match_ids: str) -> Sequence[asyncio.Task[MatchReport]]:
    """Matches of which the bot finds the next one whenever it has room."""
    return [house.order(match_id, [remote_seat(name), remote_seat("a")]) for match_id in match_ids]


async def test_who_leaves_ends_what_runs_and_begins_nothing_else(house: RunningProcess) -> None:
    held = Held()
    async with house.bot("a", room=9), house.bot("walker", on_decide=held) as bot:
        first, *others = queue(house, "walker", "l1", "l2", "l3")
        await until(lambda: bool(bot.of("decide")))
        await bot.write(LEAVE)
        await house.until_gone("walker")
        held.free.set()
        assert (await first).result.faults == ()
        assert await ended_in_order(bot)
        assert [one.match_finished.match_id for one in bot.of("match_finished")] == ["l1"]
        assert len(bot.of("match_started")) == 1
        async with house.bot("walker") as again:
            assert not any([(await other).result.faults for other in others])
        assert not any(one.match_started.resumed for one in again.of("match_started"))


async def test_who_leaves_without_a_match_is_gone_at_once(house: RunningProcess) -> None:
    async with house.bot("idle") as bot:
        await house.until_here("idle")
        await bot.write(LEAVE)
        assert await ended_in_order(bot)
    await house.until_gone("idle")


async def test_who_leaves_and_loses_the_line_comes_back_for_what_runs_only(house: RunningProcess) -> None:
    async with house.bot("a", room=9):
        async with house.bot("broken", on_decide=Held()) as first:
            playing, other = queue(house, "broken", "b1", "b2")
            await until(lambda: bool(first.of("decide")))
            await first.write(LEAVE)
            await house.until_gone("broken")
        async with house.bot("broken", room=NO_NEW_MATCH) as back:
            assert (await playing).result.faults == ()
            assert await ended_in_order(back)
            assert [one.match_started.match_id for one in back.of("match_started")] == ["b1"]
        assert not other.done()
        async with house.bot("broken"):
            assert (await other).result.faults == ()


async def test_who_comes_back_only_for_what_runs_when_nothing_does_is_told_how_it_ended(house: RunningProcess) -> None:
    async with house.bot("a", room=9) as opponent:
        async with house.bot("late", on_decide=Held()) as first:
            playing, other = queue(house, "late", "e1", "e2")
            await until(lambda: bool(first.of("decide")))
        await house.until_gone("late")
        await opponent.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="e1")))
        await playing
        async with house.bot("late", room=NO_NEW_MATCH) as back:
            assert await ended_in_order(back)
        assert [one.match_finished.match_id for one in back.of("match_finished")] == ["e1"]
        assert not other.done()
        async with house.bot("late"):
            await other


async def test_a_join_after_leaving_starts_afresh(house: RunningProcess) -> None:
    """As of an author who has changed his mind, and connects while the last match of his other program still runs."""
    held = Held()
    async with house.bot("a", room=9), house.bot("fresh", on_decide=held) as first:
        orders = queue(house, "fresh", "f1", "f2")
        await until(lambda: bool(first.of("decide")))
        await first.write(LEAVE)
        await house.until_gone("fresh")
        async with house.bot("fresh", room=2) as second:
            assert not any([(await order).result.faults for order in orders])
            assert not second.ended.is_set()
