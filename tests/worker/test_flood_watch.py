"""Whom the watch over floods finds: not a bot whose message lies unread while this process computes otherwise."""

import asyncio
import multiprocessing
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.referee.inbox import Flood
from arena.referee.server import PlayServer, StreamAdmission
from arena.worker.flood_watch import LOOKS, FloodWatch
from tests.support.patience import until

MESSAGE = b"x" * 38
ROUNDS = 2 * LOOKS


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

    def look(self) -> None:
        """It has one connection."""

    def count_messages(self) -> int:
        self.looks += 1
        return self.messages_at(self.looks)

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
    monkeypatch.setattr("arena.worker.flood_watch.REST_S", 0.02)
    monkeypatch.setattr("arena.worker.flood_watch.LOOK_S", 0.002)
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
    monkeypatch.setattr("arena.worker.flood_watch.MOST_SHARE", 1000.0)
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
