"""Matches with remote bots go to their process, all others to the executor of the machine, and so do their watchers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import replace

from arena.match.live import LiveEndEvent, LiveEvent
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.service.scheduler.host import MatchRouter
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import Slots
from tests.service.scheduler.executors import HeldExecutor, order, settle


class HeldPlayer(HeldExecutor):
    """Plays remote matches when a test says so."""

    def has(self, match_id: str) -> bool:
        return match_id in self.playing

    async def run_match(self, spec: MatchSpec) -> MatchReport:
        return await self.run(spec)

    def cancel(self, match_id: str) -> None:  # type: ignore[override]
        """Do nothing."""

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        del after, logs
        return one_event(f"remote {match_id}")


async def one_event(text: str) -> AsyncGenerator[LiveEvent, None]:
    yield LiveEndEvent(0, None, text)


def remote(match_id: str) -> MatchSpec:
    spec = order(match_id)
    return replace(spec, seats=tuple(replace(seat, is_remote=True) for seat in spec.seats))


async def test_each_match_is_played_and_watched_where_its_bots_are() -> None:
    here, there = HeldExecutor(1), HeldPlayer(1)
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0), needs_slot=lambda spec: not spec.has_remote)
    router = MatchRouter(slots, there)
    router.use(here)
    view = slots.view(MatchPurpose.LADDER, "spring")
    tasks = [asyncio.ensure_future(view.run(spec)) for spec in (order("m1"), remote("m2"), remote("m3"))]
    await settle()
    assert (sorted(here.playing), sorted(there.playing)) == (["m1"], ["m2", "m3"])
    watch = router.watch_with(lambda match_id, **_: one_event(f"here {match_id}"))
    assert [event async for event in watch("m1")] == [LiveEndEvent(0, None, "here m1")]
    assert [event async for event in watch("m2")] == [LiveEndEvent(0, None, "remote m2")]
    for task in tasks:
        task.cancel()


async def test_where_no_remote_bots_are_taken_every_match_is_played_and_watched_here() -> None:
    here = HeldExecutor(1)
    slots = Slots(1, dict.fromkeys(MatchPurpose, 1.0))
    router = MatchRouter(slots, None)
    router.use(here)
    task = asyncio.ensure_future(slots.view(MatchPurpose.LADDER, "spring").run(order("m1")))
    await settle()
    assert list(here.playing) == ["m1"]
    watch = router.watch_with(lambda match_id, **_: one_event(f"here {match_id}"))
    assert [event async for event in watch("m1")] == [LiveEndEvent(0, None, "here m1")]
    task.cancel()
