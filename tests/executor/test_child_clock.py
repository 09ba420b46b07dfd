"""How long a process of ours may be silent, and how long its start waits for room; the clock is the test's."""

import asyncio
import errno
import os
from typing import Any, cast

import pytest

from arena.executor.child import ChildProcess
from tests.executor.children import child_of


class Clock:
    """Counts what is slept instead of sleeping, so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int = 100) -> None:
        self.slept: list[float] = []
        self.most = most
        monkeypatch.setattr(asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if len(self.slept) > self.most:
            raise TimeoutError


class Killed:
    """A process that can only be killed."""

    is_killed = False
    returncode = None

    def kill(self) -> None:
        self.is_killed = True


async def kill_if_silent(child: ChildProcess) -> bool:
    process = Killed()
    try:
        await child._kill_if_silent(cast("Any", process))
    except TimeoutError:
        assert not process.is_killed
    return process.is_killed


async def say(child: ChildProcess, *events: str) -> None:
    """The process says these things, and ends its output."""
    reader = asyncio.StreamReader()
    for event in events:
        text = f'{{"event": "{event}", "launcher": -1}}'.encode()
        reader.feed_data(len(text).to_bytes(4, "big") + bytes(4) + text)
    reader.feed_eof()
    await child._serve(reader)
    assert child._has_spoken is bool(events)


@pytest.mark.parametrize("events", [("alive",), ("alive", "other")])
async def test_a_process_that_said_nothing_for_thirty_seconds_is_killed(
    monkeypatch: pytest.MonkeyPatch, events: tuple[str, ...]
) -> None:
    child, clock = child_of(""), Clock(monkeypatch)
    await say(child, *events)
    assert await kill_if_silent(child)
    assert clock.slept == [1.0] * 30
    assert child.last_words() == "it said nothing for 30 s, and was killed"


@pytest.mark.parametrize("said", ["alive", "other"])
async def test_whatever_a_process_says_its_silence_begins_anew(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    child, clock = child_of(""), Clock(monkeypatch, most=29)
    await say(child, "alive")
    assert not await kill_if_silent(child)
    await say(child, said)
    clock.slept.clear()
    assert not await kill_if_silent(child)
    clock.most = 100
    assert await kill_if_silent(child)


async def test_a_process_that_never_said_that_it_goes_on_may_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_of("")
    Clock(monkeypatch)
    await say(child, "ready")
    assert not await kill_if_silent(child)


@pytest.mark.parametrize("said", [(), ("ready",)])
async def test_one_that_should_have_said_so_is_killed_after_five_minutes(
    monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...]
) -> None:
    """As a worker that is stopped before it could say anything."""
    child = ChildProcess(list, lambda *_: None, lambda: None, says_that_it_goes_on=True)
    clock = Clock(monkeypatch, most=299)
    await say(child, *said)
    assert not await kill_if_silent(child)
    clock.slept, clock.most = [], 1000
    assert await kill_if_silent(child)
    assert clock.slept == [1.0] * 300
    assert child.last_words() == "it said nothing for 300 s, and was killed"


async def test_a_process_that_ends_may_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_of("")
    Clock(monkeypatch)
    await say(child, "alive")
    child.stop()
    assert not await kill_if_silent(child)


async def start(monkeypatch: pytest.MonkeyPatch, number: int, *, is_stopping: bool = False) -> list[float]:
    """How long a start waits between tries that all fail so."""

    def fail() -> list[str]:
        raise OSError(number, os.strerror(number))

    clock = Clock(monkeypatch)
    child = ChildProcess(fail, lambda *_: None, lambda: None)
    if is_stopping:
        child.stop()
    assert await child.run() == (False, None)
    assert os.strerror(number) in child.last_words()
    return clock.slept


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE])
async def test_a_start_waits_for_room_longer_and_longer_for_a_minute(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    slept = await start(monkeypatch, number)
    assert slept == pytest.approx([0.2 * 2**times for times in range(9)])
    assert sum(slept[:-1]) < 60 <= sum(slept)


async def test_a_start_that_waited_as_long_as_it_may_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.executor.child.FIRST_PAUSE_S", 0.25)
    monkeypatch.setattr("arena.executor.child.ROOM_PATIENCE_S", 0.75)
    assert await start(monkeypatch, errno.EAGAIN) == [0.25, 0.5]


async def test_a_start_that_fails_for_another_reason_or_is_not_wanted_any_more_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await start(monkeypatch, errno.ENOENT) == []
    assert await start(monkeypatch, errno.EAGAIN, is_stopping=True) == []
