"""A worker whose gRPC got no thread when it asked for one: nobody is heard, and no bot is to blame."""

import asyncio
import contextlib
import signal
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.errors import HostingError
from arena.hosting.user_directories import runtime_directory
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.worker import process, starter
from arena.worker.bot_listener import DirectListener, ProxiedListener
from arena.worker.host import MatchHost
from arena.worker.own_limits import OwnLimits
from arena.worker.starter import answers
from tests.support.specs import king_spec, scripted


async def test_a_door_answers_and_what_nobody_serves_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with runtime_directory() as directory, socket.socket(socket.AF_UNIX) as deaf:
        listener = await DirectListener.open_socket(directory)
        assert listener.socket is not None
        assert await answers(listener.socket)
        await listener.close()
        assert not await answers(directory / "missing")
        deaf.bind(str(directory / "deaf"))
        deaf.listen()
        monkeypatch.setattr(starter, "ANSWER_PATIENCE_S", 0.01)
        assert not await answers(directory / "deaf")


@pytest.mark.host_fault("no-thread-for-a-worker")
@pytest.mark.needs("minutes")
async def test_a_bot_that_nobody_heard_is_not_blamed(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    told: list[str] = []
    heard = iter([False, True])

    async def is_heard(_: Path) -> bool:
        return next(heard)

    monkeypatch.setattr("arena.worker.process_pool._give_up", told.append)
    monkeypatch.setattr(starter, "answers", is_heard)
    monkeypatch.setattr(process, "FIRST_PAUSE_S", 0.001)
    async with MatchHost() as host:
        report = await host.play(king_spec("m1", [scripted("exit-at-once"), scripted(), scripted()]))
    assert next(heard, None) is None  # it was started twice, and the second time was its own fault
    assert [fault.cause for fault in report.result.faults] == [FaultCause.START_FAILED]
    assert told == ["connections to the listeners here are not accepted"]


@pytest.mark.host_fault("no-thread-for-a-worker")
@pytest.mark.needs("minutes")
async def test_a_door_that_never_closes_does_not_hold_a_match_for_ever(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    close = DirectListener.close

    async def never_end(listener: DirectListener) -> None:
        await close(listener)
        await asyncio.Event().wait()

    monkeypatch.setattr("arena.worker.process_pool._give_up", starter.lose)
    async with MatchHost(warm_bots=0) as host:

        async def play_some() -> None:
            for number in range(9):  # the first may be over before it is known
                await host.play(king_spec(f"m{number}", [scripted(), scripted(), scripted()]))

        with monkeypatch.context() as patch:
            patch.setattr(DirectListener, "close", never_end)
            patch.setattr(starter, "CLOSE_PATIENCE_S", 1.0)
            with pytest.raises(MatchLostError, match="did not close within") as lost:
                await play_some()
            while host._pool.bots._starter._background._tasks:  # each of them tells of its own listener
                with contextlib.suppress(HostingError):
                    await host.settle()
        assert lost.value.cause is HostCause.HOSTING_FAILED


@pytest.mark.host_fault("no-threads-for-a-bot")
@pytest.mark.needs("minutes")
async def test_a_bot_that_may_be_lame_since_there_was_no_room_is_not_blamed(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr("arena.worker.process_pool._give_up", starter.lose)
    async with MatchHost() as host:
        silent = king_spec("m1", [scripted("silent"), scripted(), scripted()], clock="50ms")
        report = await host.play(silent)
        assert [fault.cause for fault in report.result.faults] == [FaultCause.TIMEOUT]
        monkeypatch.setattr(host._pool._room, "_full_s", float("inf"))  # there is no room while it is played
        with pytest.raises(MatchLostError, match="had no room for threads"):
            await host.play(replace(silent, match_id="m2"))
        honest = king_spec("m3", [scripted(), scripted(), scripted()])
        assert (await host.play(honest)).result.faults == ()


def test_room_is_looked_for_by_trying_and_when_there_was_none_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, is_there = process.RoomWatch(), iter([True, False, True, True])
    monkeypatch.setattr(process, "has_room", lambda _threads: next(is_there))
    assert watch.look()
    assert not watch.was_full_since(0.0)
    before_s = time.monotonic()
    assert not watch.look()
    assert watch.was_full_since(before_s)
    between_s = time.monotonic()
    assert watch.look()
    assert watch.was_full_since(between_s), "who started between the two looks may have got no thread"
    after_s = time.monotonic()
    assert watch.look()
    assert not watch.was_full_since(after_s)


@pytest.mark.needs("minutes")
async def test_a_bot_that_fails_before_the_watch_has_looked_again_is_not_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.worker.process_pool._give_up", starter.lose)
    async with MatchHost() as host:
        silent = king_spec("m1", [scripted("silent"), scripted(), scripted()], clock="50ms")
        monkeypatch.setattr(process, "ROOM_LOOK_S", 3600.0)
        assert [fault.cause for fault in (await host.play(silent)).result.faults] == [FaultCause.TIMEOUT]
        monkeypatch.setattr(process, "has_room", lambda _threads: False)  # and nobody has looked since
        with pytest.raises(MatchLostError, match="had no room for threads"):
            await host.play(replace(silent, match_id="m2"))


@pytest.mark.host_fault("no-thread-for-a-bot-proxy")
async def test_a_bot_proxy_that_got_no_thread_is_the_hosts_fault(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    program = (
        "import os, socket, sys\n"
        "from arena.hosting.pipes import encode_frame\n"
        "link = socket.socket(fileno=int(sys.argv[2]))\n"
        "link.sendall(encode_frame({'event': 'open', 'socket': '/none', 'token': 'x'}))\n"
        "sys.stderr.write('thd.cc] pthread_create failed: Resource temporarily unavailable\\n'); sys.stderr.flush()\n"
        "os.abort()"
    )
    monkeypatch.setattr("arena.worker.bot_listener.PROGRAM", (sys.executable, "-c", program))
    lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.set_result)
        assert signal.SIGABRT.name in await lost
        assert not listener.admission.stream.done()
        await listener.close()
