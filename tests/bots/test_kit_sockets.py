"""The kits for other languages over the socket that the arena hands over (ARENA_STREAM_FD), each alike."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_asyncio

from arena.v1 import play_pb2
from tests.bots.fake_arena import JOINED, Dialogue, SocketArena, decide, finished, frame, serve, started
from tests.support.builds import build_bots
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.asyncio(loop_scope="module")

NODE_BOT = Path(__file__).with_name("node_bot.mjs")
LONGEST = 64 * 2**20
NOWHERE = "unix:/nonexistent/arena.sock"
REFUSED = "the arena refused the bot: it ended the stream before it had answered Join\n"
GIVE_AS_3 = """
import os, signal, sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
given = int(sys.argv[1])
if given != 3:
    os.dup2(given, 3)
    os.close(given)
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""Starts a program with a descriptor as number 3, and as a shell would: Python itself ignores SIGPIPE."""

Kit = Sequence[str]
"""The command that starts a bot of a kit; what the bot does is added to it."""
Script = Callable[[SocketArena], Awaitable[None]]


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[pytest.param(name, marks=pytest.mark.needs(name)) for name in ("node", "cpp")],
)
async def kit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kit:
    if request.param == "node":
        return ("node", str(NODE_BOT))
    return ((await build_bots(tmp_path_factory.mktemp("cpp"), "none")).path,)


@dataclass(frozen=True)
class Ended:
    status: int
    errors: str


IN_ORDER = Ended(0, "")


async def start(command: Sequence[str], *descriptors: int, **environment: str) -> asyncio.subprocess.Process:
    own = {key: value for key, value in os.environ.items() if not key.startswith(("ARENA_", "GRPC_"))}
    return await asyncio.create_subprocess_exec(
        *command,
        env={**own, "ARENA_ADDRESS": NOWHERE, "ARENA_TOKEN": "t0ken", **environment},
        pass_fds=descriptors,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


async def end(process: asyncio.subprocess.Process) -> Ended:
    """The end of a bot, which must come by itself."""
    try:
        _, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Ended(process.returncode, errors.decode())


async def meet(kit: Kit, deed: str, script: Script, *, address: str = NOWHERE) -> tuple[Ended, SocketArena]:
    """Let a bot meet an arena that follows a script and then closes the stream."""
    arena = SocketArena()
    with arena.ours:
        number = arena.theirs.fileno()
        command = (sys.executable, "-c", GIVE_AS_3, str(number), *kit, deed)
        process = await start(command, number, ARENA_STREAM_FD="3", ARENA_ADDRESS=address)
        arena.theirs.close()
        try:
            await asyncio.wait_for(script(arena), PATIENCE_S)
        finally:
            arena.ours.close()
            ended = await end(process)
    return ended, arena


async def two_matches(arena: Dialogue) -> None:
    await arena.welcome()
    await arena.play_match("a", 3)
    await arena.play_match("b", 2)


@pytest.mark.parametrize("address", [NOWHERE, ""], ids=["an address", "no address"])
async def test_a_bot_joins_over_the_socket(kit: Kit, address: str) -> None:
    ended, arena = await meet(kit, "first", SocketArena.welcome, address=address)
    assert ended == IN_ORDER
    (request,) = arena.heard
    assert (request.join.protocol_major, request.join.protocol_minor) == (1, 0)
    assert list(request.join.games) == ["nim", "foreign_king"]


@pytest.mark.parametrize("deed", ["first", "several", "resign"])
async def test_it_says_the_same_over_the_socket_as_over_grpc(kit: Kit, deed: str) -> None:
    ended, by_socket = await meet(kit, deed, two_matches)
    with TemporaryDirectory(prefix="kit") as directory:
        async with serve(Path(directory), two_matches) as by_grpc:
            assert await end(await start((*kit, deed), ARENA_ADDRESS=by_grpc.address)) == IN_ORDER
    assert ended == IN_ORDER
    assert len(by_socket.heard) == 6
    assert by_socket.heard == by_grpc.heard


async def test_messages_may_come_byte_by_byte(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        arena.is_slow = True
        await arena.welcome()
        assert await arena.play_match("a", 2) == [0, 0]

    ended, _ = await meet(kit, "first", script)
    assert ended == IN_ORDER


async def test_several_messages_may_come_at_once_and_one_in_many_pieces(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.hear()
        large = play_pb2.PlayResponse()
        large.CopyFrom(JOINED)
        large.joined.games[0].options_schema_json = "x" * 3_000_000
        unknown = play_pb2.PlayResponse.FromString(b"\xc2\x3e\x03abc")
        await arena.say(large, play_pb2.PlayResponse(), unknown, started("a"), decide("a", 0))
        assert (await arena.hear()).act.actions == [0]
        await arena.say(finished("a"), started("b"), decide("b", 5))
        assert (await arena.hear()).act.ply == 5

    ended, _ = await meet(kit, "first", script)
    assert ended == IN_ORDER


async def refuse_unheard(arena: SocketArena) -> None:
    """Close the stream at once."""


async def refuse_join(arena: SocketArena) -> None:
    await arena.hear()


async def break_off_joined(arena: SocketArena) -> None:
    await arena.hear()
    await arena.say_bytes(frame(JOINED)[:-1])


@pytest.mark.parametrize("script", [refuse_unheard, refuse_join, break_off_joined])
async def test_a_stream_that_ends_before_joined_is_a_refusal(kit: Kit, script: Script) -> None:
    ended, _ = await meet(kit, "first", script)
    assert ended == Ended(1, REFUSED)


async def break_off_decide(arena: SocketArena) -> None:
    await arena.welcome()
    await arena.say(started("a"))
    await arena.say_bytes(frame(decide("a", 0))[:-1])


async def break_off_a_length(arena: SocketArena) -> None:
    await arena.welcome()
    await arena.say_bytes(b"\1\0\0")


async def break_off_the_longest(arena: SocketArena) -> None:
    await arena.welcome()
    await arena.say_bytes(LONGEST.to_bytes(4, "little"))


async def leave_an_answer_unread(arena: SocketArena) -> None:
    """What the bot reads next is ECONNRESET."""
    await arena.welcome()
    await arena.say(started("a"), decide("a", 0))
    await asyncio.to_thread(select.select, [arena.ours], [], [])


async def stop_reading(arena: SocketArena) -> None:
    """What the bot writes next is EPIPE."""
    await arena.welcome()
    arena.ours.shutdown(socket.SHUT_RD)
    await arena.say(started("a"), decide("a", 0))


@pytest.mark.parametrize(
    "script", [break_off_decide, break_off_a_length, break_off_the_longest, leave_an_answer_unread, stop_reading]
)
async def test_an_arena_that_goes_away_ends_the_bot_in_good_order(kit: Kit, script: Script) -> None:
    ended, _ = await meet(kit, "first", script)
    assert ended == IN_ORDER


async def test_what_came_before_the_end_is_answered(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 0))
        arena.ours.shutdown(socket.SHUT_WR)
        assert (await arena.hear()).act.actions == [0]
        assert await arena.next_request() is None

    ended, _ = await meet(kit, "first", script)
    assert ended == IN_ORDER


async def test_a_message_that_is_too_long_is_refused(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say_bytes((LONGEST + 1).to_bytes(4, "little"))
        assert await arena.next_request() is None

    ended, _ = await meet(kit, "first", script)
    assert ended == Ended(1, "the arena sent a message of 67108865 bytes; at most 67108864 are read\n")


async def test_bytes_that_are_no_message_are_refused(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say_bytes(b"\2\0\0\0\x0a\x05")
        assert await arena.next_request() is None

    ended, _ = await meet(kit, "first", script)
    assert ended.status == 1
    assert ended.errors.startswith("the arena sent bytes that are no message")
    assert ended.errors.count("\n") == 1


async def test_another_major_version_is_refused_naming_both(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.hear()
        await arena.say(play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=2, protocol_minor=3)))
        assert await arena.next_request() is None

    ended, _ = await meet(kit, "first", script)
    assert ended == Ended(1, "the arena speaks protocol 2.3, this kit 1.0; take the kit that came with the arena\n")


async def test_what_decide_throws_ends_the_process_and_the_stream(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 7))
        assert await arena.next_request() is None

    ended, _ = await meet(kit, "fail", script)
    assert ended.status == 1
    assert "no idea at ply 7\n" in ended.errors


async def test_children_of_the_bot_do_not_get_the_socket(kit: Kit) -> None:
    async def script(arena: SocketArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 0))
        assert (await arena.hear()).act.note == "closed"

    ended, _ = await meet(kit, "child", script)
    assert ended == IN_ORDER


@pytest.mark.parametrize("text", ["seven", "-1", "3.0", "4 "])
async def test_a_variable_that_is_no_number_is_named(kit: Kit, text: str) -> None:
    ended = await end(await start((*kit, "first"), ARENA_STREAM_FD=text))
    words = "is no number of a descriptor; leave the variable to the arena, or unset it"
    assert ended == Ended(1, f'ARENA_STREAM_FD is "{text}", which {words}\n')


def no_socket(number: int) -> Ended:
    remedy = "a program that starts the bot must pass the descriptor on, or unset the variable"
    return Ended(1, f"ARENA_STREAM_FD is {number}, which is no open socket; {remedy}\n")


async def test_a_descriptor_that_is_closed_is_named(kit: Kit) -> None:
    assert await end(await start((*kit, "first"), ARENA_STREAM_FD="77")) == no_socket(77)


async def test_a_descriptor_that_is_no_stream_socket_is_named(kit: Kit) -> None:
    reading, writing = os.pipe()
    with (
        os.fdopen(reading, "rb"),
        os.fdopen(writing, "wb"),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams,
        Path(__file__).open("rb") as file,
    ):
        for number in (reading, datagrams.fileno(), file.fileno()):
            ended = await end(await start((*kit, "first"), number, ARENA_STREAM_FD=str(number)))
            assert ended == no_socket(number)


async def test_an_empty_variable_counts_as_none(kit: Kit) -> None:
    ended = await end(await start((*kit, "first"), ARENA_STREAM_FD=""))
    assert ended.status == 1
    assert ended.errors.startswith(f"no arena answers at {NOWHERE}")


@pytest.mark.needs("node")
async def test_node_loads_no_http_for_the_socket() -> None:
    async def script(arena: Dialogue) -> None:
        await arena.welcome()
        await arena.play_match("a")

    command = ("node", str(NODE_BOT))
    _, by_socket = await meet(command, "http2", script)
    with TemporaryDirectory(prefix="kit") as directory:
        async with serve(Path(directory), script) as by_grpc:
            await end(await start((*command, "http2"), ARENA_ADDRESS=by_grpc.address))
    assert [arena.heard[1].act.note for arena in (by_socket, by_grpc)] == ["false", "true"]
