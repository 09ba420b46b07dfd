"""Watchers of one match: each sees all of it in order, from its beginning, and none disturbs another."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from arena.executor import worker_handle as worker_process
from arena.executor.interface import NotWatchableError, WatcherFellBehindError
from arena.executor.local import LocalExecutor
from arena.executor.worker_handle import MatchChannel, WorkerProcess
from arena.match.live import (
    LiveEndEvent,
    LiveEntryEvent,
    LiveEvent,
    LiveLogEvent,
    LiveStartEvent,
    events_of_replay,
    live_end,
)
from arena.match.replay import load
from arena.match.spec import SeatSpec
from arena.match.worker_report import MatchReport
from tests.executor.pretended import played
from tests.support.patience import PATIENCE_S
from tests.support.specs import king_spec, scripted


async def collect(events: AsyncGenerator[LiveEvent, None]) -> list[LiveEvent]:
    return [event async for event in events]


async def started(*watchers: AsyncGenerator[LiveEvent, None]) -> list[asyncio.Task[list[LiveEvent]]]:
    """Watchers that have begun to wait."""
    tasks = [asyncio.create_task(collect(watcher)) for watcher in watchers]
    await asyncio.sleep(0)
    return tasks


def kinds(events: Sequence[LiveEvent]) -> list[tuple[str, int]]:
    return [(type(event).__name__, event.sequence) for event in events]


async def test_everybody_sees_everything_once_and_in_order() -> None:
    events, report = played()
    channel = MatchChannel()
    early = await started(channel.watch(-1, ()), channel.watch(2, ()))
    channel.publish(events[:3])
    late = await started(channel.watch(-1, ()))
    channel.publish(events[3:])
    channel.end(report)
    whole = [*events, live_end(report.result, 5)]
    assert [await task for task in (*early, *late)] == [whole, whole[3:], whole]


async def test_who_comes_too_late_for_the_worker_gets_the_rest_from_the_replay() -> None:
    events, report = played()
    for shown in (0, 1, 4, 6):
        channel = MatchChannel()
        (watcher,) = await started(channel.watch(-1, ()))
        channel.publish(events[:shown])
        channel.end(report)
        after = await collect(channel.watch(3, ()))
        assert (await watcher)[:-1] == events
        assert kinds(after) == [("LiveEntryEvent", 4), ("LiveEntryEvent", 5), ("LiveEndEvent", 6)]


async def test_who_asked_before_the_end_and_listens_after_it_sees_it_all() -> None:
    events, report = played()
    channel = MatchChannel()
    watcher = channel.watch(-1, ())
    channel.end(report)
    assert kinds(await collect(watcher)) == kinds([*events, LiveEndEvent(6, {})])


async def test_a_match_that_was_lost_ends_with_the_reason() -> None:
    events, _ = played()
    channel = MatchChannel()
    (watcher,) = await started(channel.watch(1, ()))
    channel.publish(events[:3])
    channel.end(None, "its worker ended")
    assert await watcher == [events[2], LiveEndEvent(3, None, "its worker ended")]


async def test_changes_of_who_watches_are_told() -> None:
    told: list[tuple[bool, list[int]]] = []
    channel = MatchChannel(lambda: told.append((channel.is_watched, list(channel.wanted_logs))))
    first, second = channel.watch(-1, (1,)), channel.watch(-1, (0, 1))
    tasks = [asyncio.ensure_future(anext(first)), asyncio.ensure_future(anext(second))]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert told == [(True, [1]), (True, [0, 1]), (True, [0, 1]), (False, [])]


async def test_logs_come_to_those_who_asked_for_them_and_again_from_where_one_stopped() -> None:
    events, report = played()
    channel = MatchChannel()
    logs = [LiveLogEvent(1, 0, 0, b"one"), LiveLogEvent(1, 1, 0, b"other"), LiveLogEvent(2, 0, 3, b"two")]
    (both,) = await started(channel.watch(-1, (0,)))
    channel.publish([*events[:2], logs[0], logs[1], events[2], logs[2], *events[3:]])
    channel.end(report)
    assert [event for event in await both if isinstance(event, LiveLogEvent)] == [logs[0], logs[2]]
    again = await collect(channel.watch(1, (0, 1)))
    assert again[:4] == [logs[0], logs[1], events[2], logs[2]]
    assert not [event for event in await collect(channel.watch(-1, ())) if isinstance(event, LiveLogEvent)]


async def test_who_falls_behind_is_told_where_to_go_on_and_nobody_else_is_disturbed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_process, "MOST_BEHIND", 2)
    events, report = played()
    channel = MatchChannel()
    slow = channel.watch(-1, ())
    first = asyncio.ensure_future(anext(slow))
    (quick,) = await started(channel.watch(-1, ()))
    channel.publish(events[:1])
    assert await first == events[0]
    next_one = asyncio.ensure_future(anext(slow))  # it has all there is, and waits
    for event in events[1:3]:
        await asyncio.sleep(0)
        channel.publish([event])
    assert await next_one == events[1]
    for event in events[3:]:
        channel.publish([event])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    with pytest.raises(WatcherFellBehindError) as behind:
        await collect(slow)
    channel.end(report)
    assert behind.value.sequence == 1
    assert kinds(await collect(channel.watch(behind.value.sequence, ()))) == kinds([*events[2:], LiveEndEvent(6, {})])
    assert (await quick)[:-1] == events


async def test_history_is_no_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    events, report = played()
    channel = MatchChannel()
    (first,) = await started(channel.watch(-1, ()))
    channel.publish(events[:5])
    await asyncio.sleep(0)
    monkeypatch.setattr(worker_process, "MOST_BEHIND", 2)
    late = channel.watch(-1, ())
    taken = [await anext(late)]
    channel.publish(events[5:])
    channel.end(report)
    taken += await collect(late)
    assert taken[:-1] == events
    assert isinstance(taken[-1], LiveEndEvent)
    assert (await first)[:-1] == events


async def test_text_beyond_a_bound_is_forgotten_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "KEPT_LOG_BYTES", 10)
    events, report = played()
    channel = MatchChannel()
    (watcher,) = await started(channel.watch(-1, (0,)))
    channel.publish(events[:1])
    for index in range(4):
        channel.publish([LiveLogEvent(0, 0, 5 * index, b"text%d" % index)])
        await asyncio.sleep(0)
    channel.publish(events[1:])
    channel.end(report)
    timely = [event for event in await watcher if isinstance(event, LiveLogEvent)]
    late = [event for event in await collect(channel.watch(-1, (0,))) if isinstance(event, LiveLogEvent)]
    assert [log.data for log in timely] == [b"text0", b"text1", b"text2", b"text3"]
    assert [(log.start, log.data, log.cut_bytes) for log in late] == [
        (5, b"", 5),
        (10, b"", 5),
        (10, b"text2", 0),
        (15, b"text3", 0),
    ]
    assert all(isinstance(event, LiveEntryEvent) for event in events[1:])


async def caught_up() -> tuple[MatchChannel, AsyncGenerator[LiveEvent, None]]:
    """A watcher that has taken all there is, and then one more."""
    channel = MatchChannel()
    watcher = channel.watch(-1, (0,))
    next_one = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    channel.publish([entry(1)])
    assert (await next_one).sequence == 1
    next_one = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    channel.publish([entry(2)])
    assert (await next_one).sequence == 2
    return channel, watcher


def entry(sequence: int) -> LiveEntryEvent:
    return LiveEntryEvent(sequence, {}, ())


async def test_a_watcher_may_be_4096_events_behind_and_no_more() -> None:
    for behind in (4096, 4097):
        channel, watcher = await caught_up()
        channel.publish(map(entry, range(3, 3 + behind)))
        if behind == 4096:
            assert [(await anext(watcher)).sequence for _ in range(behind)] == list(range(3, 3 + behind))
        else:
            with pytest.raises(WatcherFellBehindError, match="watch again from event 2"):
                await anext(watcher)


async def test_half_a_megabyte_of_text_is_kept_and_no_more() -> None:
    channel = MatchChannel()
    half = 256 * 1024
    channel.publish([LiveLogEvent(0, 0, 0, b"a" * half), LiveLogEvent(0, 1, 0, b"b" * half), entry(1)])
    channel.end(None, "over")
    kept = [log for log in await collect(channel.watch(-1, (0, 1))) if isinstance(log, LiveLogEvent)]
    assert [(len(log.data), log.cut_bytes) for log in kept] == [(half, 0), (half, 0)]
    channel = MatchChannel()
    channel.publish(
        [LiveLogEvent(0, 0, 0, b"a" * half), LiveLogEvent(0, 1, 0, b"b" * half), LiveLogEvent(0, 0, half, b"c")]
    )
    channel.end(None, "over")
    kept = [log for log in await collect(channel.watch(-1, (0, 1))) if isinstance(log, LiveLogEvent)]
    assert [(len(log.data), log.cut_bytes) for log in kept] == [(0, half), (half, 0), (1, 0)]


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


async def order(executor: LocalExecutor, match_id: str, *seats: SeatSpec) -> asyncio.Task[MatchReport]:
    match = asyncio.create_task(executor.run(king_spec(match_id, seats or HONEST)))
    await asyncio.sleep(0)
    return match


def told(events: list[LiveEvent]) -> list[LiveEvent]:
    """The events without logs."""
    return [event for event in events if not isinstance(event, LiveLogEvent)]


def recorded(report: MatchReport) -> list[LiveEvent]:
    return events_of_replay(load(report.replay))


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_watcher_sees_what_the_replay_will_tell_also_of_a_match_that_waits(executor: LocalExecutor) -> None:
    matches = [await order(executor, f"m{index}") for index in range(2)]
    watchers = [asyncio.create_task(see(executor, f"m{index}")) for index in (0, 1)]
    reports = [await match for match in matches]
    assert [await watcher for watcher in watchers] == [recorded(report) for report in reports]


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
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


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
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


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
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


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
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


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
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


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
async def test_the_end_of_a_match_without_a_result_tells_why(executor: LocalExecutor) -> None:
    match = await order(executor, "m1", *[scripted("silent")] * 3)
    watcher = asyncio.create_task(see(executor, "m1"))
    async with aclosing(executor.watch("m1")) as events:
        assert isinstance(await anext(events), LiveStartEvent)
    await executor.cancel("m1")
    await asyncio.gather(match, return_exceptions=True)
    assert (await watcher)[-1] == LiveEndEvent(1, None, "cancelled")


@pytest.mark.needs("minutes")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_match_that_is_not_here_cannot_be_watched(executor: LocalExecutor) -> None:
    with pytest.raises(NotWatchableError, match="match m9 is not played here now"):
        executor.watch("m9")
    await (await order(executor, "m1"))
    with pytest.raises(NotWatchableError):
        executor.watch("m1")
