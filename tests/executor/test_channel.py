"""Watchers of one match: each sees all of it in order, none disturbs another, and a slow one is told where it was."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence

import pytest

from arena.executor import worker_process
from arena.executor.interface import WatcherFellBehindError
from arena.executor.worker_process import MatchChannel
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveEvent, LiveLogEvent, live_end
from tests.executor.pretended import played
from tests.support.specs import installed_script_game


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


async def collect(events: AsyncGenerator[LiveEvent, None]) -> list[LiveEvent]:
    return [event async for event in events]


async def started(*watchers: AsyncGenerator[LiveEvent, None]) -> list["asyncio.Task[list[LiveEvent]]"]:
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
