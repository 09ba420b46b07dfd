"""What a bot is told before a question is on its way before the clock starts; what is small costs no turn for that."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.referee import stream as stream_module
from arena.referee.queue.call import QueueCall
from arena.referee.queue.loop import QueueLoop
from arena.referee.queue.server import QueueServer
from arena.referee.stream import BotStream
from tests.support.deaf_client import call_with_little_room, make_room
from tests.support.patience import PATIENCE_S

MORE_THAN_THE_FIRST_WINDOW = b"x" * 100_000


@pytest.fixture
async def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[BotStream, socket.socket]]:
    """A bot's stream, and its connection."""
    monkeypatch.setattr(stream_module, "STOPPED_READING_S", PATIENCE_S)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QueueLoop)
    come: asyncio.Future[BotStream] = loop.create_future()

    async def serve(call: QueueCall) -> None:
        come.set_result(BotStream(call))
        await asyncio.Event().wait()

    server = QueueServer(loop, lambda _: serve, ())
    await server.start(f"unix:{tmp_path}/door")
    client = call_with_little_room(f"{tmp_path}/door", "/any")
    yield await asyncio.wait_for(come, PATIENCE_S), client
    client.close()
    await server.stop(None)


async def test_a_large_message_is_sent_when_the_transport_has_taken_it(bot: tuple[BotStream, socket.socket]) -> None:
    stream, client = bot
    sending = asyncio.create_task(stream.send(MORE_THAN_THE_FIRST_WINDOW))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not sending.done()
    make_room(client)
    await asyncio.wait_for(sending, PATIENCE_S)


async def test_a_small_message_is_sent_without_a_turn_of_the_loop(bot: tuple[BotStream, socket.socket]) -> None:
    stream, _ = bot
    with pytest.raises(StopIteration):
        stream.send(b"small").send(None)
