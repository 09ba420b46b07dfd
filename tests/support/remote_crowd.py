"""Remote bots in a thread with an event loop of their own: they connect again whenever their stream ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import grpc

from arena.v1 import play_pb2
from tests.support.patience import PATIENCE_S
from tests.support.remote_bot import RemoteBot


class Crowd:
    """Bots of one owner; while they are held, they answer nothing."""

    def __init__(self, port: int, certificate: Path, token: str, names: Sequence[str], room: int = 4) -> None:
        self.port = port
        """Where they connect, also the next time."""
        self._certificate = certificate
        self._token = token
        self._names = names
        self._room = room
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._free = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._answers: set[asyncio.Task[None]] = set()
        self.asked: set[str] = set()
        """The matches in which one of them was asked for a decision."""
        self.resumed: set[str] = set()
        self.reasons: list[str] = []
        """How streams ended."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    def hold(self) -> None:
        """Let them answer nothing until `release`."""
        self._loop.call_soon_threadsafe(self._free.clear)

    def release(self) -> None:
        """Let them answer."""
        self._loop.call_soon_threadsafe(self._free.set)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _start(self) -> None:
        self._tasks = [asyncio.create_task(self._stay(name)) for name in self._names]

    async def _stop(self) -> None:
        for task in (*self._tasks, *self._answers):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._answers, return_exceptions=True)

    async def _stay(self, name: str) -> None:
        while True:
            options = {"token": self._token, "room": self._room, "on_decide": self._decide}
            with suppress(grpc.aio.AioRpcError):
                async with RemoteBot(self.port, self._certificate, name, **options) as bot:  # type: ignore[arg-type]
                    await bot.ended.wait()
                    self.reasons.append(bot.status.reason if bot.status else "")
            await asyncio.sleep(0.05)

    async def _decide(self, bot: RemoteBot, decide: play_pb2.Decide) -> None:
        self.asked.add(decide.match_id)
        self.resumed |= {one.match_started.match_id for one in bot.of("match_started") if one.match_started.resumed}
        answer = asyncio.create_task(self._answer(bot, decide))  # it reads on: another match may ask meanwhile
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)

    async def _answer(self, bot: RemoteBot, decide: play_pb2.Decide) -> None:
        await self._free.wait()
        await bot.act(decide)
