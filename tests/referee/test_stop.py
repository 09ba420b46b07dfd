"""A server ends although a client takes nothing any more; what it holds is freed when that client has gone."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from arena.referee.aio_server import AioServer
from arena.referee.context import CallContext
from arena.referee.queue.loop import QueueLoop
from arena.referee.queue.server import QueueServer
from tests.support.deaf_client import call_and_read_nothing, is_full
from tests.support.patience import PATIENCE_S, until

MORE_THAN_A_SOCKET_HOLDS = b"x" * 10_000_000
_PROGRAM = """
import asyncio, tempfile
from pathlib import Path
from arena.wire.completion_queue import prepare
prepare()
from arena.referee.queue.loop import run
from tests.referee.test_stop import serve_the_deaf

clients = []

async def main(directory):
    server, client = await serve_the_deaf(directory)
    clients.append(client)
    if STOPS:
        await server.stop(0.1)

with tempfile.TemporaryDirectory() as directory:
    run(main(Path(directory)))
print("ended", flush=True)
"""


async def serve_the_deaf(directory: Path) -> tuple[QueueServer | AioServer, socket.socket]:
    """Return a server, and the connection of a client that does not take what it is sent."""

    async def serve(call: CallContext) -> None:
        await call.write(MORE_THAN_A_SOCKET_HOLDS)

    loop = asyncio.get_running_loop()
    server = QueueServer(loop, lambda _: serve, ()) if isinstance(loop, QueueLoop) else AioServer(lambda _: serve, ())
    path = str(directory / "door")
    await server.start(f"unix:{path}")
    client = call_and_read_nothing(path, "/any")
    await until(lambda: is_full(client))
    return server, client


def is_freed(server: QueueServer | AioServer) -> bool:
    if isinstance(server, AioServer):
        return server._stopping.done()
    return server._server not in server._loop.queue._servers


@pytest.mark.parametrize("grace_s", [0.1, None])
async def test_a_client_that_takes_nothing_keeps_no_server_from_ending(tmp_path: Path, grace_s: float | None) -> None:
    with mock.patch("arena.referee.queue.unfreed.BROKEN_OFF_S", 0.1):
        server, client = await serve_the_deaf(tmp_path)
        await asyncio.wait_for(server.stop(grace_s), PATIENCE_S)
    assert not is_freed(server)
    client.close()
    await until(lambda: is_freed(server))


async def test_a_server_whose_end_nobody_awaits_any_more_is_freed_all_the_same(tmp_path: Path) -> None:
    server, client = await serve_the_deaf(tmp_path)
    stopping = asyncio.create_task(server.stop(PATIENCE_S))
    await asyncio.sleep(0)
    stopping.cancel()
    await asyncio.wait({stopping})
    assert stopping.cancelled()
    client.close()
    await until(lambda: is_freed(server))


@pytest.mark.parametrize(
    ("road", "stops"),
    [
        ("queue", True),
        pytest.param("queue", False, marks=pytest.mark.needs("minutes")),
        pytest.param("aio", True, marks=pytest.mark.needs("minutes")),
    ],
)
def test_a_process_ends_although_a_client_takes_nothing(
    road: str, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_GRPC", road)
    program = f"STOPS = {stops}\n{_PROGRAM}"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert ended.stdout == "ended\n"
