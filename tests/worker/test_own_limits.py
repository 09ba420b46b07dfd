"""What a process of ours may hold and compute, which bot floods it, and what it does without a thread for gRPC."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.errors import OVER_LIMIT_STATUS, HostingError, describe_end, is_crash
from arena.hosting.user_directories import runtime_directory
from arena.match.result import FaultCause, HostCause, MatchLostError
from arena.referee.server import PlayServer, StreamAdmission
from arena.referee.stream import Flood
from arena.worker import process_setup as process
from arena.worker import starter
from arena.worker.bot_listener import DirectListener
from arena.worker.match_host import MatchHost
from arena.worker.own_limits import FREE_SHARE, LOOKS, FloodWatch, OwnLimits, OwnWatch
from arena.worker.proxied_listener import ProxiedListener
from arena.worker.starter import answers
from tests.support.patience import until
from tests.support.specs import king_spec, scripted

LIMITS = OwnLimits(memory_mb=100, cpu_s=2.0)
STOPPED = """
from arena.hosting.errors import exit_over_limit
from arena.worker.own_limits import HEADROOM_MB, OwnLimits

OwnLimits(memory_mb=64).set_hard_stop()
try:
    bytearray((64 + HEADROOM_MB) << 20)
except MemoryError:
    exit_over_limit("no memory")
"""
MESSAGE = b"x" * 38
ROUNDS = 2 * LOOKS


@pytest.fixture
def falls() -> list[str]:
    return []


@pytest.fixture
def watch(falls: list[str]) -> OwnWatch:
    return OwnWatch(LIMITS, lambda: "bots of the versions a, b", falls.append)


def test_memory_up_to_the_limit_is_allowed(watch: OwnWatch, falls: list[str]) -> None:
    watch.check_memory(100 << 20)
    assert falls == []
    watch.check_memory((100 << 20) + 1)
    assert falls == ["it held 100 MB of memory, 100 MB are allowed; with it were bots of the versions a, b"]


def test_what_may_go_on_for_ever_adds_up_to_nothing(watch: OwnWatch, falls: list[str]) -> None:
    for _ in range(1000):
        watch.count_cpu(FREE_SHARE, 1.0)
    watch.count_cpu(2.0, 0.0)
    assert falls == []
    watch.count_cpu(0.01, 0.0)
    assert falls == ["it computed for 2.0 s for nobody, 2 s are allowed; with it were bots of the versions a, b"]


def test_rest_and_messages_take_off_what_was_computed_but_are_no_credit(watch: OwnWatch, falls: list[str]) -> None:
    watch.count_cpu(1.9, 0.0)
    watch.count_cpu(0.0, 30.0)
    watch.count_cpu(1.5, 0.0)
    assert falls == []
    watch.count_cpu(-100.0, 0.0)
    watch.count_cpu(2.1, 0.0)
    assert len(falls) == 1


def test_what_was_computed_is_forgiven_when_somebody_was_found(watch: OwnWatch, falls: list[str]) -> None:
    watch.count_cpu(1.9, 0.0)
    watch.forgive()
    watch.count_cpu(1.9, 0.0)
    assert falls == []


def test_a_look_counts_this_process(falls: list[str]) -> None:
    watch = OwnWatch(OwnLimits(memory_mb=1, cpu_s=0.0), end=falls.append)
    watch.look(messages=0)
    assert falls
    assert all("with it" not in words for words in falls)


@pytest.mark.parametrize(
    ("code", "falls", "ended"),
    [
        (OVER_LIMIT_STATUS, True, "exit status 75"),
        (-signal.SIGSEGV, True, "SIGSEGV"),
        (-signal.SIGABRT, True, "SIGABRT"),
        (-signal.SIGKILL, False, "SIGKILL"),
        (-signal.SIGTERM, False, "SIGTERM"),
        (0, False, "exit status 0"),
        (1, False, "exit status 1"),
        (None, False, "exit status None"),
    ],
)
def test_whoever_was_killed_or_had_an_error_did_not_fall(code: int | None, falls: bool, ended: str) -> None:
    assert is_crash(code) is falls
    assert describe_end(code) == ended


@pytest.mark.host_fault("no-thread-for-a-worker")
def test_whoever_got_no_thread_from_the_machine_did_not_fall() -> None:
    said = "E1 thd.cc:157] pthread_create failed: Resource temporarily unavailable\nFailed to start lifeguard thread\n"
    assert not is_crash(-signal.SIGABRT, said)
    assert is_crash(-signal.SIGABRT, "terminate called without an active exception")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what a process may reserve")
def test_the_kernel_refuses_what_is_far_beyond_the_limit() -> None:
    ended = subprocess.run([sys.executable, "-c", STOPPED], stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (OVER_LIMIT_STATUS, b"no memory\n")


class UnreadWay:
    """A way in behind which nobody reads."""

    def __init__(self, path: Path) -> None:
        self.socket: Path | None = path
        self.address = f"unix:{path}"
        self.admission: StreamAdmission = PlayServer().admit()
        self.floods: list[Flood] = []
        self.messages_at: Callable[[int], int] = lambda _looks: 0
        self.looks = 0
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        self.bot = socket.socket(socket.AF_UNIX)
        self.bot.connect(str(path))
        self._sockets = [listener, self.bot, listener.accept()[0]]

    @property
    def offered(self) -> Mapping[str, int]:
        return {}

    def note_started(self) -> None:
        """Nothing was offered."""

    def look(self) -> None:
        """It has one connection."""

    def count_messages(self) -> int:
        self.looks += 1
        return self.messages_at(self.looks)

    def descriptor(self) -> int:
        return self._sockets[2].fileno()

    def disconnect(self, flood: Flood) -> None:
        self.floods.append(flood)

    def dismiss(self) -> None:
        """Nobody is inside."""

    async def close(self) -> None:
        for one in self._sockets:
            one.close()


@asynccontextmanager
async def watched(path: Path) -> AsyncIterator[UnreadWay]:
    way = UnreadWay(path)
    watching = asyncio.create_task(FloodWatch(lambda: [way]).run())
    yield way
    watching.cancel()
    await way.close()


@pytest.fixture
async def way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[UnreadWay]:
    """Looked at in haste: a thread computes all the while."""
    monkeypatch.setattr("arena.worker.own_limits.REST_S", 0.02)
    monkeypatch.setattr("arena.worker.own_limits.LOOK_S", 0.002)
    async with watched(tmp_path / "s") as way:
        yield way


@pytest.fixture
def computing() -> Iterator[None]:
    """A thread beside the event loop computes, as gRPC's do."""
    end = threading.Event()
    thread = threading.Thread(target=lambda: all(not end.is_set() for _ in iter(int, 1)))
    thread.start()
    yield
    end.set()
    thread.join()


@pytest.mark.usefixtures("computing")
async def test_bytes_that_lie_unread_while_threads_compute_are_a_flood(way: UnreadWay) -> None:
    way.bot.send(MESSAGE)
    await until(lambda: bool(way.floods))
    assert way.floods[0].evidence["unread_bytes"] == len(MESSAGE)


@pytest.mark.usefixtures("computing")
@pytest.mark.needs("minutes")
async def test_what_adds_up_is_looked_into_although_no_share_of_a_core_is_large(
    way: UnreadWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.worker.own_limits.MOST_SHARE", 1000.0)
    way.bot.send(MESSAGE)
    await until(lambda: bool(way.floods))


@pytest.mark.needs("minutes")
def test_what_the_event_loop_computes_makes_nobody_a_flood(tmp_path: Path) -> None:
    # In a process of its own: in this one threads of other tests may compute.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        assert alone.submit(floods_while_computing, tmp_path / "s").result() == []


def floods_while_computing(path: Path) -> list[Flood]:
    async def compute() -> list[Flood]:
        async with watched(path) as way:
            way.bot.send(MESSAGE)
            while way.looks < ROUNDS:
                sum(range(10_000))
                await asyncio.sleep(0)
            return way.floods

    return asyncio.run(compute())


@pytest.mark.usefixtures("computing")
async def test_bytes_that_become_a_message_are_no_flood(way: UnreadWay) -> None:
    way.messages_at = lambda looks: looks // (LOOKS // 2)
    way.bot.send(MESSAGE)
    await until(lambda: way.looks >= ROUNDS)
    assert way.floods == []


async def test_a_door_answers_and_what_nobody_serves_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with runtime_directory() as directory, socket.socket(socket.AF_UNIX) as deaf:
        listener = await DirectListener.open(directory)
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

    monkeypatch.setattr("arena.worker.bot_processes._give_up", told.append)
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

    monkeypatch.setattr("arena.worker.bot_processes._give_up", starter.lose)
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
    monkeypatch.setattr("arena.worker.bot_processes._give_up", starter.lose)
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
    monkeypatch.setattr("arena.worker.bot_processes._give_up", starter.lose)
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
        "from arena.hosting.framed_pipe import encode_frame\n"
        "link = socket.socket(fileno=int(sys.argv[2]))\n"
        "link.sendall(encode_frame({'event': 'open', 'socket': '/none', 'token': 'x'}))\n"
        "sys.stderr.write('thd.cc] pthread_create failed: Resource temporarily unavailable\\n'); sys.stderr.flush()\n"
        "os.abort()"
    )
    monkeypatch.setattr("arena.worker.proxied_listener.PROGRAM", (sys.executable, "-c", program))
    lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.set_result)
        assert signal.SIGABRT.name in await lost
        assert not listener.admission.stream.done()
        await listener.close()
