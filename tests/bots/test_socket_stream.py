"""The kit over the socket that the arena hands to a bot: whole matches, pieces, odd lengths, ends, bad descriptors."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest

from arena.v1 import play_pb2
from bots.errors import ArenaError
from bots.kit import Bot, Decision
from bots.session import PlaySession
from bots.socket_stream import MAX_FRAME_BYTES, SocketStream
from tests.bots.fake_arena import FakeArena, decide, started
from tests.bots.test_process import ROOT, Ended, start_bot
from tests.support.patience import PATIENCE_S

Script = Callable[["SocketArena"], Awaitable[None]]

TELLING = """
import os, subprocess, sys
from bots.kit import Bot, run

number = int(os.environ["ARENA_STREAM_FD"])
child = "import os, sys; os.fstat(int(sys.argv[1]))"

class Telling(Bot):
    uses_engine = False

    def decide(self, decision):
        started = subprocess.run([sys.executable, "-c", child, str(number)], close_fds=False, stderr=subprocess.PIPE)
        words = started.stderr.decode().split()
        sys.stderr.write(f"{'grpc' in sys.modules} {os.get_inheritable(number)} {words[-5:]}")
        return decision.legal_actions[-1]

run(Telling())
"""


class SocketArena(FakeArena):
    """An arena at the other end of a socket pair; it writes so many bytes at a time."""

    def __init__(self, script: Script, piece: int = 1 << 20) -> None:
        super().__init__(cast("Any", script))
        ours, self.theirs = socket.socketpair()
        ours.setblocking(False)
        self.socket = ours
        self.piece = piece
        self.context = cast("Any", self)

    async def write(self, response: play_pb2.PlayResponse) -> None:
        data = response.SerializeToString()
        await self.write_bytes(len(data).to_bytes(4, "little") + data)

    async def write_bytes(self, data: bytes) -> None:
        for start in range(0, len(data), self.piece):
            await asyncio.get_running_loop().sock_sendall(self.socket, data[start : start + self.piece])

    async def read(self) -> play_pb2.PlayRequest:
        head = await self._read_bytes(4)
        return play_pb2.PlayRequest.FromString(await self._read_bytes(int.from_bytes(head, "little")))

    async def _read_bytes(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = await asyncio.get_running_loop().sock_recv(self.socket, size - len(data))
            assert piece, "the bot ended the stream"
            data += piece
        return data

    async def run(self) -> None:
        """Follow the script, and end the stream."""
        with self.socket:
            await self._script(self)


class Recorder(Bot):
    """Takes the last legal action, and keeps what it was asked."""

    def __init__(self) -> None:
        self.heard: list[int] = []

    def decide(self, decision: Decision) -> int:
        self.heard.append(decision.ply)
        return decision.legal_actions[-1]


@pytest.fixture(autouse=True)
def no_freeze() -> Iterator[None]:
    with mock.patch("gc.freeze"):  # these tests go on
        yield


async def play_against(bot: Bot, script: Script, piece: int = 1 << 20) -> SocketArena:
    """Play in a thread of this process."""
    arena = SocketArena(script, piece)
    stream = SocketStream(str(arena.theirs.detach()))
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.create_task(arena.run())
        await asyncio.to_thread(stream.play, PlaySession(bot))
        await running
    return arena


async def meet(directory: Path, source: str, script: Script) -> tuple[Ended, SocketArena]:
    """Play with a process of its own."""
    file, arena = directory / "main.py", SocketArena(script)
    file.write_text(source, encoding="utf-8")
    with arena.theirs as end:
        number = end.fileno()
        ended, _ = await asyncio.gather(start_bot(file, number, ARENA_STREAM_FD=str(number)), arena.run())
    return ended, arena


async def two_matches(arena: SocketArena) -> None:
    await arena.welcome()
    await arena.play_match("a", 3)
    await arena.play_match("b", 1)


@pytest.mark.parametrize("piece", [1, 3, 5, 1 << 20])
async def test_one_stream_serves_several_matches_in_pieces_of_any_size(piece: int) -> None:
    bot = Recorder()
    arena = await play_against(bot, two_matches, piece)
    assert bot.heard == [0, 1, 2, 0]
    assert (arena.heard[0].join.name, arena.heard[0].join.protocol_major) == ("Recorder", 1)
    assert [list(request.act.actions) for request in arena.heard[1:]] == [[2]] * 4


async def test_the_end_of_the_stream_is_the_end_of_the_bot_and_no_error_wherever_it_comes() -> None:
    async def in_a_frame(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"))
        await arena.write_bytes(b"\x50\0\0\0half")

    async def in_a_length(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.write_bytes(b"\x50\0")

    async def with_something_unread(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 7))
        await wait_for_answer(arena)

    for script in (in_a_frame, in_a_length, with_something_unread):
        await play_against(Recorder(), script)


async def wait_for_answer(arena: SocketArena) -> None:
    """Wait until the bot has written something, and leave it unread."""
    ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().add_reader(arena.socket, ready.set_result, None)
    await ready
    asyncio.get_running_loop().remove_reader(arena.socket)


async def close_at_once(arena: SocketArena) -> None:
    await arena.hear()


async def test_a_stream_that_ends_before_the_bot_was_let_in_is_a_refusal() -> None:
    with pytest.raises(ArenaError, match="the arena closed the stream before it let the bot in; `arena match show`"):
        await play_against(Recorder(), close_at_once)


@pytest.mark.parametrize("size", [MAX_FRAME_BYTES + 1, 2**32 - 1])
async def test_a_length_that_no_message_has_is_told(size: int) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.write_bytes(size.to_bytes(4, "little"))

    with pytest.raises(ArenaError, match=f"the arena sent a message of {size} bytes; something else wrote"):
        await play_against(Recorder(), script)


async def test_a_message_larger_than_all_buffers_is_read() -> None:
    bot, large = Recorder(), decide("a", 4)
    large.decide.observation.value = bytes(5_000_000)

    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), large)
        await arena.hear()

    await play_against(bot, script)
    assert bot.heard == [4]


async def test_what_decide_raises_ends_the_stream_and_is_raised() -> None:
    class Broken(Bot):
        def decide(self, decision: Decision) -> int:
            raise ZeroDivisionError(decision.ply)

    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 0))
        assert await asyncio.get_running_loop().sock_recv(arena.socket, 1) == b""

    with pytest.raises(ZeroDivisionError):
        await play_against(Broken(), script)


async def test_a_bot_plays_without_grpc_and_what_it_starts_does_not_hold_its_stream(tmp_path: Path) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        assert await arena.play_match("a", 1) == [2]

    ended, _ = await meet(tmp_path, TELLING, script)
    assert ended == Ended(0, "False False ['[Errno', '9]', 'Bad', 'file', 'descriptor']")


async def test_a_refusal_is_one_line(tmp_path: Path) -> None:
    ended, _ = await meet(tmp_path, TELLING, close_at_once)
    assert ended == Ended(1, "the arena closed the stream before it let the bot in; `arena match show` tells why\n")


@pytest.mark.parametrize("number", ["many", "-1", "77", str(2**70), "2"])
async def test_a_descriptor_that_is_no_socket_is_one_line_with_the_remedy(number: str) -> None:
    ended = await start_bot(ROOT / "bots" / "random" / "main.py", ARENA_STREAM_FD=number, ARENA_ADDRESS="unix:/none")
    assert ended.status == 1
    assert ended.output.startswith(f"ARENA_STREAM_FD is {number!r}, which is no open socket of this process (")
    assert ended.output.endswith("or unset the variable to use gRPC\n")
    assert ended.output.count("\n") == 1
