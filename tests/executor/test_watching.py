"""Watching matches that real workers play: from their beginning on, by many at once, to their ends."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from arena.executor.interface import NotWatchableError
from arena.executor.local import LocalExecutor
from arena.executor.worker_process import WorkerProcess
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveEvent, LiveLogEvent, LiveStartEvent, events_of_replay
from arena.match.replay import load
from arena.match.report import MatchReport
from arena.match.spec import SeatSpec
from tests.support.patience import PATIENCE_S
from tests.support.specs import king_spec, scripted

GATED = """
import os, pathlib, sys, time
from tests.support.scripted_bot import Wire, first

print("started", file=sys.stderr, flush=True)
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("decide"):
        while response.decide.ply > 3 and not pathlib.Path(sys.argv[1]).exists():
            time.sleep(0.01)
        print("asked at", response.decide.ply, flush=True)
        wire.send_bytes(first(response.decide))
"""
THINKING = """
import os, pathlib, sys, time
from tests.support.scripted_bot import Wire, first

wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("decide"):
        for depth in range(1000000):
            print("depth", depth, file=sys.stderr, flush=True)
            if pathlib.Path(sys.argv[1]).exists():
                break
            time.sleep(0.1)
        wire.send_bytes(first(response.decide))
"""
HONEST = [scripted()] * 3


pytestmark = [pytest.mark.needs("minutes"), pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(mark: str) -> AsyncIterator[LocalExecutor]:
    async with LocalExecutor(1) as executor:
        yield executor


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def gated(tmp_path: Path, gate: Path) -> SeatSpec:
    """A bot that does not answer after ply 3 before the gate is there."""
    return waiting(tmp_path / "gated.py", GATED, gate)


@pytest.fixture
def thinking(tmp_path: Path, gate: Path) -> SeatSpec:
    """A bot that thinks over its first answer until the gate is there, and writes how it gets on."""
    return waiting(tmp_path / "thinking.py", THINKING, gate)


def waiting(main: Path, program: str, gate: Path) -> SeatSpec:
    main.write_text(program, encoding="utf-8")
    return replace(scripted(), name=main.stem, version=str(gate), command=(sys.executable, str(main), str(gate)))


async def see(executor: LocalExecutor, match_id: str, **how: Any) -> list[LiveEvent]:
    return [event async for event in executor.watch(match_id, **how)]


async def order(executor: LocalExecutor, match_id: str, *seats: SeatSpec) -> "asyncio.Task[MatchReport]":
    match = asyncio.create_task(executor.run(king_spec(match_id, seats or HONEST)))
    await asyncio.sleep(0)
    return match


def told(events: list[LiveEvent]) -> list[LiveEvent]:
    """The events without logs."""
    return [event for event in events if not isinstance(event, LiveLogEvent)]


def recorded(report: MatchReport) -> list[LiveEvent]:
    return events_of_replay(load(report.replay))


async def test_a_watcher_sees_what_the_replay_will_tell_also_of_a_match_that_waits(executor: LocalExecutor) -> None:
    matches = [await order(executor, f"m{index}") for index in range(2)]
    watchers = [asyncio.create_task(see(executor, f"m{index}")) for index in (0, 1)]
    reports = [await match for match in matches]
    assert [await watcher for watcher in watchers] == [recorded(report) for report in reports]


async def test_entries_come_while_the_match_is_played_with_history_first(
    executor: LocalExecutor, gated: SeatSpec, gate: Path
) -> None:
    match = await order(executor, "m1", *[gated] * 3)
    async with aclosing(executor.watch("m1")) as events:
        first = [await anext(events) for _ in range(4)]
    assert isinstance(first[0], LiveStartEvent)
    assert [event.entry["ply"] for event in first[1:] if isinstance(event, LiveEntryEvent)] == [0, 1, 2]
    assert not match.done()
    later = asyncio.create_task(see(executor, "m1", after=first[-1].sequence))
    again = asyncio.create_task(see(executor, "m1"))
    await asyncio.sleep(0)
    gate.touch()
    report = await match
    assert first + await later == await again == recorded(report)


async def test_many_watchers_share_one_subscription(
    executor: LocalExecutor, gated: SeatSpec, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[int] = []
    handle = WorkerProcess._handle

    def count(worker: WorkerProcess, head: Mapping[str, Any], blob: bytes) -> None:
        if head["event"] == "live":
            shown.append(head["live"]["sequence"])
        handle(worker, head, blob)

    monkeypatch.setattr(WorkerProcess, "_handle", count)
    match = await order(executor, "m1", *[gated] * 3)
    watchers = [asyncio.create_task(see(executor, "m1")) for _ in range(50)]
    await asyncio.sleep(0)
    gate.touch()
    whole = recorded(await match)
    assert all(events == whole for events in await asyncio.gather(*watchers))
    assert shown == sorted(set(shown))


async def test_nobody_watches_and_nothing_is_sent(executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[str] = []
    handle = WorkerProcess._handle

    def note(worker: WorkerProcess, head: Mapping[str, Any], blob: bytes) -> None:
        kinds.append(head["event"])
        handle(worker, head, blob)

    monkeypatch.setattr(WorkerProcess, "_handle", note)
    await (await order(executor, "m1"))
    assert "live" not in kinds
    assert "report" in kinds


async def test_the_log_of_a_seat_comes_to_those_who_ask_for_it(
    executor: LocalExecutor, gated: SeatSpec, gate: Path
) -> None:
    match = await order(executor, "m1", scripted(), gated, gated)
    unasked = asyncio.create_task(see(executor, "m1"))
    await asyncio.sleep(0)
    async with aclosing(executor.watch("m1", logs=(1,))) as events:
        while not isinstance(event := await anext(events), LiveLogEvent):
            pass
        assert (event.seat, event.start, event.data.splitlines()[0]) == (1, 0, b"started")
        assert not match.done()
    gate.touch()
    whole = await see(executor, "m1", logs=(1, 2))
    document = load((await match).replay)
    for seat in (1, 2):
        logs = [event for event in whole if isinstance(event, LiveLogEvent) and event.seat == seat]
        asked = [entry["ply"] for entry in document["entries"] if entry["seat"] == seat and entry["by"] == "bot"]
        assert b"".join(log.data for log in logs).decode().split("\n") == [
            "started",
            *(f"asked at {ply}" for ply in asked),
            "",
        ]
        places = [(log.start, log.start + len(log.data)) for log in logs]
        assert [start for start, _ in places] == [0, *(end for _, end in places[:-1])]
    assert told(whole) == await unasked == told(await unasked)


async def test_what_a_bot_writes_while_it_thinks_comes_before_it_has_moved(
    executor: LocalExecutor, thinking: SeatSpec, gate: Path
) -> None:
    match = await order(executor, "m1", thinking, *HONEST[1:])
    written = b""
    async with asyncio.timeout(PATIENCE_S), aclosing(executor.watch("m1", logs=(0,))) as events:
        while written.count(b"depth") < 12:
            event = await anext(events)
            assert not isinstance(event, LiveEntryEvent), "it has moved"
            if isinstance(event, LiveLogEvent):
                assert event.start == len(written)
                written += event.data
    assert not match.done()
    gate.touch()
    whole = await see(executor, "m1", logs=(0,))
    logs = [event for event in whole if isinstance(event, LiveLogEvent)]
    assert b"".join(log.data for log in logs).startswith(written)
    assert told(whole) == recorded(await match)


async def test_the_end_of_a_match_without_a_result_tells_why(executor: LocalExecutor) -> None:
    match = await order(executor, "m1", *[scripted("silent")] * 3)
    watcher = asyncio.create_task(see(executor, "m1"))
    async with aclosing(executor.watch("m1")) as events:
        assert isinstance(await anext(events), LiveStartEvent)
    await executor.cancel("m1")
    await asyncio.gather(match, return_exceptions=True)
    assert (await watcher)[-1] == LiveEndEvent(1, None, "cancelled")


async def test_a_match_that_is_not_here_cannot_be_watched(executor: LocalExecutor) -> None:
    with pytest.raises(NotWatchableError, match="match m9 is not played here now"):
        executor.watch("m9")
    await (await order(executor, "m1"))
    with pytest.raises(NotWatchableError):
        executor.watch("m1")
