"""Odd messages that no honest bot sends, and a real server that they are thrown at, beside honest matches."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import grpc

from arena.match.match import Match
from arena.referee.play import SeatedBot, play_match
from arena.referee.server import JoinError, PlayServer, StreamAdmission, join
from arena.referee.stream import BotStream
from arena.v1 import play_pb2
from tests.support.raw_stream import RawStream
from tests.support.specs import script_spec

ODD_NUMBERS = (0, 1, -1, 2, 63, 64, 65, 127, 128, 2**31 - 1, -(2**31))
ODD_TEXTS = ("", "m1", "\0", "*", "x" * 1001, "ключ", "\U0001f451" * 300, "../../etc/passwd", "%s%n", "m1\n")
LARGE = 300_000


def act(match_id: str, ply: int, *actions: int, note: str = "") -> bytes:
    message = play_pb2.Act(match_id=match_id, ply=ply, actions=actions, note=note)
    return play_pb2.PlayRequest(act=message).SerializeToString()


def join_as(*games: str, major: int = 1) -> bytes:
    message = play_pb2.Join(name="bot", protocol_major=major, games=games)
    return play_pb2.PlayRequest(join=message).SerializeToString()


def corpus(match_id: str, ply: int) -> list[bytes]:
    """One of each that a bot may send, well formed."""
    resign = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))
    leave = play_pb2.PlayRequest(leave=play_pb2.Leave())
    return [
        act(match_id, ply, 0),
        act(match_id, ply, 2, 2, 2, note="because"),
        act(match_id, ply, *range(64)),
        join_as("*"),
        join_as("foreign_king", "checkers", major=2),
        resign.SerializeToString(),
        leave.SerializeToString(),
        b"",
    ]


def random_request(rng: Random, match_id: str, ply: int) -> bytes:
    """A well-formed request with odd values."""
    names = (match_id, *ODD_TEXTS)
    kind = rng.randrange(4)
    if kind == 0:
        return join_as(*(rng.choice(names) for _ in range(rng.randrange(5))), major=rng.choice((0, 1, 2, 2**31 - 1)))
    if kind == 1:
        resign = play_pb2.Resign(match_id=rng.choice(names))
        return play_pb2.PlayRequest(resign=resign).SerializeToString()
    actions = [rng.choice((*ODD_NUMBERS, *range(4))) for _ in range(rng.choice((0, 1, 1, 2, 64, 65, 3000)))]
    plies = (ply, ply, abs(rng.choice(ODD_NUMBERS)) % 2**31)
    return act(rng.choice((match_id, *names)), rng.choice(plies), *actions, note=rng.choice(ODD_TEXTS))


def _flip(rng: Random, data: bytearray) -> None:
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut(rng: Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def _insert(rng: Random, data: bytearray) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.choice((1, 2, 9, 200)))


def _repeat(rng: Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    data[at:at] = data[at : at + rng.randint(1, 40)] * rng.randint(1, 20)


def _lengthen(rng: Random, data: bytearray) -> None:
    """A length or number that promises far more than there is."""
    at = rng.randrange(len(data))
    data[at : at + 1] = b"\xff" * rng.randint(1, 10) + b"\x01"


def _nest(rng: Random, data: bytearray) -> None:
    """Groups in groups, the old way to exhaust a parser's stack."""
    data[:0] = b"\x0b" * rng.choice((1, 100, 10_000))


def _append_unknown(rng: Random, data: bytearray) -> None:
    data += bytes((rng.choice((0x7A, 0xFA)), 0x01)) + rng.randbytes(rng.randrange(30))


def _swell(rng: Random, data: bytearray) -> None:
    """Rarely, for it is slow: more than is allowed, or nearly."""
    if rng.random() < 0.02:
        data += bytes(rng.choice((LARGE // 2, LARGE)))


MUTATIONS: tuple[Callable[[Random, bytearray], None], ...] = (
    _flip,
    _cut,
    _insert,
    _repeat,
    _lengthen,
    _nest,
    _append_unknown,
    _swell,
)


def mutate(rng: Random, data: bytes) -> bytes:
    """One to three mutations of a message."""
    mutated = bytearray(data or b"\0")
    for _ in range(rng.randint(1, 3)):
        rng.choice(MUTATIONS)(rng, mutated)
        mutated = mutated or bytearray(b"\0")
    return bytes(mutated)


def draw_message(rng: Random, match_id: str, ply: int) -> bytes:
    """Random bytes, a random request, or a mutated one of the corpus."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.choice((1, 5, 40, 1000)))
    if kind in (1, 2):
        return random_request(rng, match_id, ply)
    if kind == 3:
        return rng.choice(corpus(match_id, ply))
    return mutate(rng, rng.choice(corpus(match_id, ply)))


Call = grpc.aio.StreamStreamCall[bytes, bytes]
MATCH_ID = "m1"
SCRIPT = "0:3 1:3 0:3 1:3"
OTHER_FIRST = "1:3 0:3 1:3 0:3"
HONEST_SCRIPT = "0:3 1:3 " * 10
_POLLER = "Exception in callback PollerCompletionQueue._handle_events("
_FOR_A_LOOP_THAT_IS_GONE = "RuntimeError('Event loop is closed')"
"""What this loop hears of calls that an earlier test has left: gRPC has one poller for all loops of a process."""
BROKEN = (grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError)


class Complaints(logging.Handler):
    """What must stay empty: exceptions that nobody caught, and log lines of warnings and errors."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # A loop in another thread hears of what was left, too, and has it logged.
        self._add(record.getMessage(), record.exc_info[1] if record.exc_info else None)

    def note(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._add(str(context.get("message")), context.get("exception"))

    def _add(self, message: str, error: BaseException | None) -> None:
        if not (message.startswith(_POLLER) and repr(error) == _FOR_A_LOOP_THAT_IS_GONE):
            self.found.append(f"{message}: {error!r}")


@contextlib.contextmanager
def listening() -> Any:
    """Collect complaints as long as this is open; also of what is only told when it is thrown away."""
    complaints = Complaints()
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(complaints.note)
    logging.getLogger().addHandler(complaints)
    try:
        yield complaints
        gc.collect()
    finally:
        logging.getLogger().removeHandler(complaints)
        loop.set_exception_handler(before)


class Honest:
    """An in-process bot that answers every question with the first legal action, on a stream of its own."""

    def __init__(self, call: Call, stream: BotStream) -> None:
        self._call, self.stream = call, stream
        self._task = asyncio.create_task(self._answer())

    async def _answer(self) -> None:
        while isinstance(data := await self._call.read(), bytes):
            response = play_pb2.PlayResponse.FromString(data)
            if response.HasField("decide"):
                decide = response.decide
                await self._call.write(act(decide.match_id, decide.ply, decide.legal_actions[0]))

    async def close(self) -> None:
        """End its stream."""
        self._task.cancel()
        self._call.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class Range:
    """A server to shoot at. `messages` counts what was sent to it."""

    def __init__(self, server: PlayServer, address: str) -> None:
        self._server, self._address = server, address
        self._channel = grpc.aio.insecure_channel(address, [("grpc.max_send_message_length", -1)])
        self.messages = 0
        self.honest_matches = 0

    async def close(self) -> None:
        """Close the client's side."""
        await self._channel.close()

    @asynccontextmanager
    async def open_stream(self) -> AsyncIterator[tuple[StreamAdmission, Call]]:
        """A stream with a token of its own; both are gone afterwards."""
        admission = self._server.admit()
        method: Any = self._channel.stream_stream("/arena.v1.PlayService/Play")
        call: Call = method(metadata=(("authorization", f"Bearer {admission.token}"),))
        try:
            yield admission, call
        finally:
            call.cancel()
            self._server.dismiss(admission)

    @asynccontextmanager
    async def open_joined(self) -> AsyncIterator[tuple[BotStream, Call]]:
        """A stream that has joined in order."""
        async with self.open_stream() as (admission, call):
            await call.write(join_as("*"))
            stream = await admission.stream
            await join(stream)
            await call.read()
            yield stream, call

    @asynccontextmanager
    async def open_honest(self) -> AsyncIterator[Honest]:
        """An honest bot."""
        async with self.open_joined() as (stream, call):
            honest = Honest(call, stream)
            try:
                yield honest
            finally:
                await honest.close()

    async def shoot(self, rng: Random, call: Call, count: int, ply: int = 0) -> None:
        """Send odd messages as long as the stream takes them."""
        for _ in range(count):
            self.messages += 1
            try:
                await call.write(draw_message(rng, MATCH_ID, ply))
            except BROKEN:
                return

    # The moments of a bot's life.

    async def at_first(self, rng: Random, _partner: Honest) -> None:
        """Instead of its Join."""
        async with self.open_stream() as (admission, call):
            await self.shoot(rng, call, 1)
            await call.done_writing()
            with contextlib.suppress(JoinError):
                await join(await admission.stream)

    async def while_idle(self, rng: Random, _partner: Honest) -> None:
        """After its Join, when no match is played."""
        async with self.open_joined() as (stream, call):
            await self.shoot(rng, call, 8)
            await call.done_writing()
            while not stream.is_closed:
                await asyncio.sleep(0.005)

    async def when_asked(self, rng: Random, partner: Honest) -> None:
        """Instead of its answer."""
        await self._in_a_match(rng, partner, SCRIPT)

    async def when_another_is_asked(self, rng: Random, partner: Honest) -> None:
        """When a match has begun, at any moment."""
        await self._in_a_match(rng, partner, OTHER_FIRST)

    async def _in_a_match(self, rng: Random, partner: Honest, script: str) -> None:
        async with self.open_joined() as (stream, call):
            match = Match(script_spec(script))
            playing = asyncio.create_task(play_match(match, [SeatedBot(stream), SeatedBot(partner.stream)]))
            await call.read()
            if script is SCRIPT:
                await call.read()
            await self.shoot(rng, call, 3)
            with contextlib.suppress(*BROKEN):
                await call.done_writing()
            await playing
            assert not match.faults_of(1), match.faults_of(1)

    async def in_bytes(self, rng: Random, _partner: Honest) -> None:
        """Broken HTTP/2, on a connection of its own that is closed at any place."""
        self.messages += 1
        admission = self._server.admit()
        await asyncio.to_thread(self._shoot_bytes, rng, admission.token)
        self._server.dismiss(admission)

    def _shoot_bytes(self, rng: Random, token: str) -> None:
        with contextlib.suppress(OSError), RawStream(self._address, token) as stream:
            message = draw_message(rng, MATCH_ID, 0)
            if rng.random() < 0.3:
                stream.send_half(message + b"..")
            else:
                stream.send_bytes(mutate(rng, stream.frame_of(message)))

    # The whole.

    async def fire(self, seed: int, messages: int) -> None:
        """One lane: one odd bot after another, each at a moment that is drawn, until so many messages were sent."""
        rng = Random(seed)
        moments: tuple[Callable[[Random, Honest], Awaitable[None]], ...] = (
            self.at_first,
            self.while_idle,
            self.when_asked,
            self.when_asked,
            self.when_another_is_asked,
            self.in_bytes,
        )
        while self.messages < messages:
            async with self.open_honest() as partner:
                # A partner whose answer crossed the end of a match is not used again, as in the arena.
                while self.messages < messages and not partner.stream.spoiled:
                    await rng.choice(moments)(rng, partner)

    async def play_honestly(self) -> None:
        """Matches of two honest bots, one after another, that nothing disturbs; until it is cancelled."""
        async with self.open_honest() as one, self.open_honest() as other:
            while True:
                match = Match(script_spec(HONEST_SCRIPT))
                await play_match(match, [SeatedBot(one.stream), SeatedBot(other.stream)])
                result = match.result()
                assert (result.by_rules, result.faults, result.ranks) == (True, (), (1, 1)), result
                self.honest_matches += 1


@asynccontextmanager
async def open_range(directory: Path) -> AsyncIterator[Range]:
    """A server with a socket in `directory`, and what shoots at it."""
    server = PlayServer(most_calls=1_000_000)
    address = f"unix:{directory}/play"
    await server.start(address)
    target = Range(server, address)
    try:
        yield target
    finally:
        await target.close()
        await server.stop()


async def fuzz(target: Range, seed: int, messages: int, lanes: int = 2) -> None:
    """Send so many messages in all, beside honest matches. Raises AssertionError if an honest bot was disturbed."""
    neighbours = asyncio.create_task(target.play_honestly())
    goal = target.messages + messages
    async with asyncio.TaskGroup() as group:
        for lane in range(lanes):
            group.create_task(target.fire(seed * 1000 + lane, goal))
    if neighbours.done():
        neighbours.result()
    neighbours.cancel()
    await asyncio.gather(neighbours, return_exceptions=True)
