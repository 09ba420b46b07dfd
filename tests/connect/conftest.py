"""The certificate of a service, made once, and bots that need no process."""

from __future__ import annotations

import asyncio
import runpy
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from unittest import mock

import grpc
import pytest

from arena.hosting.launcher.messages import Exit, Log
from arena.match.spec import SeatSpec
from arena.referee.call_stream import CallStream
from arena.referee.server import receive_join
from arena.service.server.self_signed import TlsFiles, make_certificate
from arena.v1 import play_pb2
from arena.worker.starter import BackgroundTasks
from arena.worker.warm_bot import BotKey, WarmBot
from bots.kit import Bot
from bots.session import PlaySession


class Line:
    """The call of a bot, as who serves it has it."""

    def __init__(self) -> None:
        self.from_bot: asyncio.Queue[Any] = asyncio.Queue()
        self.to_bot: asyncio.Queue[bytes] = asyncio.Queue()

    async def send_initial_metadata(self, _metadata: object) -> None:
        """Nobody asks for it."""

    async def read(self) -> Any:
        return await self.from_bot.get()

    async def write(self, message: bytes) -> None:
        self.to_bot.put_nowait(message)


class InsideProcess:
    """A bot that plays in this process, by the words of a `HostedProcess`."""

    exceeded = None

    def __init__(self, main: Path, line: Line) -> None:
        self.exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self._written = b""
        self._playing = asyncio.create_task(self._play(main, line))

    async def wait(self, timeout_s: float) -> bool:
        await asyncio.wait({self.exited}, timeout=timeout_s)
        return self.exited.done()

    async def log(self, start: int = 0) -> Log:
        return Log(self._written[start:])

    def end(self) -> None:
        self._playing.cancel()
        self._exit(0)

    def _exit(self, status: int) -> None:
        if not self.exited.done():
            self.exited.set_result(Exit(status, 0))

    async def _play(self, main: Path, line: Line) -> None:
        session = PlaySession(bot_of(main))
        line.from_bot.put_nowait(session.join().SerializeToString())
        while True:
            response = play_pb2.PlayResponse.FromString(await line.to_bot.get())
            answer = await asyncio.to_thread(_outcome, session, response)
            if isinstance(answer, Exception):
                self._written += "".join(traceback.format_exception(answer)).encode()
                self._exit(1)
                line.from_bot.put_nowait(grpc.aio.EOF)
                return
            if answer is not None:
                line.from_bot.put_nowait(answer.SerializeToString())


def _outcome(session: PlaySession, response: play_pb2.PlayResponse) -> play_pb2.PlayRequest | Exception | None:
    try:
        return session.receive(response, time.monotonic())
    except Exception as error:
        return error


def bot_of(main: Path) -> Bot:
    """Return the bot that a program would run."""
    made: list[Bot] = []
    with mock.patch("bots.kit.run", made.append):
        runpy.run_path(str(main))
    return made[0]


class InsideStarter:
    """Stands for `BotStarter`."""

    def __init__(self, *_: object) -> None:
        self._background = BackgroundTasks()

    async def start_for(self, seat: SeatSpec, _limit_s: float) -> WarmBot:
        line = Line()
        stream = CallStream(cast(Any, line))
        serving = asyncio.create_task(stream.serve())
        process = InsideProcess(Path(seat.directory) / "main.py", line)
        process.exited.add_done_callback(lambda _: serving.cancel() if stream.is_closed else None)
        games = await receive_join(stream)
        return WarmBot(BotKey.of(seat), cast(Any, process), cast(Any, None), stream, games)

    def end(self, bot: WarmBot) -> None:
        self._background.run(self._end(bot))

    async def dismiss(self, bot: WarmBot) -> bool:
        bot.stream.close()
        cast(InsideProcess, bot.process).end()
        return False

    async def settle(self) -> None:
        await self._background.settle()

    async def _end(self, bot: WarmBot) -> None:
        await self.dismiss(bot)


@asynccontextmanager
async def _no_launcher(**_: object) -> AsyncIterator[None]:
    yield


def play_inside(setattr_: Callable[[str, object], None]) -> None:
    """Have bridges start no process; `setattr_` is that of a monkeypatch."""
    setattr_("arena.connect.local_bot.BotStarter", InsideStarter)
    setattr_("arena.connect.local_bot.LauncherClient", _no_launcher)


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return make_certificate(tmp_path_factory.mktemp("tls"), [])


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots of bridges are threads of this process."""
    play_inside(monkeypatch.setattr)
