"""What the coordinator makes of what the process of remote bots says, and what it tells it, without a process."""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from arena.executor.interface import ExecutorFailedError, NotBegunError, NotWatchableError
from arena.executor.remote import RemoteOptions, RemoteProcess
from arena.hosting.pipes import FrameError
from arena.match.live import LiveEndEvent, live_json
from arena.match.report import MatchReport
from arena.match.result import HostCause, MatchLostError
from tests.executor.pretended import PretendedChild, played
from tests.support.specs import script_spec

OPTIONS = RemoteOptions("0.0.0.0:7000", "c.pem", "k.pem", 30.0, 2, 100)


class Gate:
    """Notes what happens at the door."""

    def __init__(self) -> None:
        self.noted: list[object] = []

    def ask(self, question: int, application: Mapping[str, Any]) -> None:
        self.noted.append((question, application))

    def note_presence(self, version: str, digest: str, room: int | None) -> None:
        self.noted.append((version, digest, room))

    def note_all_gone(self) -> None:
        self.noted.append("all gone")


class Process:
    """The process of remote bots, pretended."""

    def __init__(self, *, is_ready: bool = True) -> None:
        self.gate = Gate()
        self.remote = RemoteProcess(OPTIONS, self.gate)
        self.child = PretendedChild()
        self.remote._child = cast("Any", self.child)
        if is_ready:
            self.say("ready", port=7001)

    def say(self, event: str, match_id: str = "", blob: bytes = b"", **what: Any) -> None:
        job = self.remote._find(match_id)
        self.remote._handle({"event": event, "ticket": 0 if job is None else job.ticket, **what}, blob)

    async def order(self, match_id: str = "m1", **changes: Any) -> "asyncio.Task[MatchReport]":
        task = asyncio.create_task(self.remote.run_match(script_spec("0:3 1:3", match_id=match_id, **changes)))
        await asyncio.sleep(0)
        return task


async def test_what_is_decided_at_the_door_is_told() -> None:
    process = Process()
    process.say("join", question=7, application={"bot": "rex"})
    process.say("presence", version="v", digest="d", room=None)
    assert process.gate.noted == [(7, {"bot": "rex"}), ("v", "d", None)]
    process.remote.admit(7, {"version": "v"})
    process.remote.refuse(8, {"why": "no"})
    process.remote.end_tokens({"b", "a"})
    assert process.child.told == [
        {"do": "admit", "question": 7, "guest": {"version": "v"}},
        {"do": "refuse", "question": 8, "refusal": {"why": "no"}},
        {"do": "end_tokens", "digests": ["a", "b"]},
    ]


async def test_a_match_waits_for_the_process_and_is_told_once_it_is_ready() -> None:
    process = Process(is_ready=False)
    match = await process.order()
    assert process.remote.has("m1")
    assert process.child.told == []
    process.say("ready", port=7001)
    assert process.child.told == [{"do": "play"}]
    assert process.remote._command()[-8:-6] == ["--key", "k.pem"]
    assert "0.0.0.0:7001" in process.remote._command()
    _, report = played()
    process.say("report", "m1", report.blob(), report=report.to_json())
    assert await match == report
    assert not process.remote.has("m1")
    assert process.child.told == [{"do": "play"}]


async def test_a_match_can_be_cancelled_and_the_process_is_told() -> None:
    process = Process()
    match, other = await process.order(), await process.order("m2")
    process.remote.cancel("unknown")
    process.remote.cancel("m1")
    with pytest.raises(MatchLostError, match="cancelled") as caught:
        await match
    assert caught.value.cause is HostCause.CANCELLED
    assert process.child.told == [{"do": "play"}, {"do": "play"}, {"do": "cancel"}]
    assert not other.done()
    other.cancel()


@pytest.mark.parametrize(
    ("event", "what", "error"),
    [
        ("returned", {}, NotBegunError),
        ("lost", {"error": MatchLostError("no disk", HostCause.REFEREE_LAG).to_json()}, MatchLostError),
    ],
)
async def test_a_match_without_a_report_ends_by_what_became_of_it(
    event: str, what: dict[str, Any], error: type[Exception]
) -> None:
    process = Process()
    match = await process.order()
    process.say(event, "m1", **what)
    with pytest.raises(error):
        await match
    assert process.child.told == [{"do": "play"}]


async def test_what_it_says_of_a_match_that_was_cancelled_is_not_heard_and_what_nobody_knows_is_refused() -> None:
    process = Process()
    process.say("begun")
    match = await process.order()
    with pytest.raises(FrameError, match="'danced'"):
        process.say("danced", "m1")
    match.cancel()


async def test_a_match_is_watched_from_before_the_process_was_ready_to_its_end() -> None:
    process = Process(is_ready=False)
    with pytest.raises(NotWatchableError, match="m1 is not played here"):
        process.remote.watch("m1")
    match = await process.order()
    watcher = process.remote.watch("m1", logs=(1,))
    first = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    process.say("ready", port=7001)
    assert process.child.told == [{"do": "play"}, {"do": "watch", "logs": [1]}]
    events, _ = played()
    head, blob = live_json(events[0])
    process.say("live", "m1", blob, live=head)
    assert await first == events[0]
    process.remote.cancel("m1")
    assert [event async for event in watcher] == [LiveEndEvent(1, None, "cancelled")]
    with pytest.raises(MatchLostError):
        await match


async def test_its_death_loses_what_had_begun_and_the_rest_waits_for_its_next_life() -> None:
    process = Process()
    match, waiting = await process.order(), await process.order("m2")
    process.say("begun", "m1")
    process.remote._fall_silent()
    assert await process.remote.run() == (True, "it fell")
    with pytest.raises(MatchLostError, match="SIGKILL"):
        await match
    assert process.gate.noted == ["all gone"]
    assert not waiting.done()
    process.say("ready", port=7001)
    assert process.child.told == [{"do": "play"}] * 3
    waiting.cancel()


async def test_who_drains_it_lets_what_has_begun_go_on() -> None:
    process = Process()
    begun, waiting = await process.order(), await process.order("m2")
    process.say("begun", "m1")
    process.remote.drain()
    with pytest.raises(NotBegunError):
        await waiting
    with pytest.raises(NotBegunError):
        await process.remote.run_match(script_spec("0:3", match_id="m3"))
    assert process.child.told[2] == {"do": "drain"}
    assert not begun.done()
    process.remote.stop()
    assert process.child.is_stopped
    with pytest.raises(ExecutorFailedError):
        await begun


async def test_matches_of_other_versions_of_a_bot_are_counted_while_they_go_on() -> None:
    process = Process()
    (seat, *_) = script_spec("0:3 1:3").seats
    match = await process.order()
    assert process.remote.count_other_versions(seat.name, "new") == 0
    process.say("begun", "m1")
    assert process.remote.count_other_versions(seat.name, "new") == 1
    assert process.remote.count_other_versions(seat.name, seat.version) == 0
    assert process.remote.count_other_versions("nobody", "new") == 0
    match.cancel()
