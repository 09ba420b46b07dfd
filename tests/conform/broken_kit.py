"""A small kit on bare gRPC, or the socket that it is started with, that plays the first legal action.

It has one defect on demand: one for each rule.

`play` runs it in this process; as a program it takes the defect as its argument.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc

from arena.v1 import play_pb2

_CODES_OF_AN_END = (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)

LITTLE_TIME_US = 250_000
"""The limit at which the kit thinks too long that ignores its clock."""
SLOW = "slow"
"""No defect: this kit thinks long, and its answer may come when the match is over."""
MOMENT_S = 0.005
"""How long every kit thinks: as long as an error of the stream needs that follows the question."""
THINKS_S = 2.0
"""How long the kit thinks at most that cannot bear the end of a match meanwhile."""


class Stop(Exception):  # noqa: N818 - it is how the kit ends, no error of the test
    """The kit ends with a status and a word on stderr."""

    def __init__(self, status: int, text: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.text = text


@dataclass
class Kit:
    """What the kit knows, and its defect."""

    defect: str
    address: str
    token: str
    write: Callable[[str], None]
    """Writes to stderr."""
    number: str = ""
    """The number of the socket; with none it uses gRPC."""
    call: Any = None
    channel: Any = None
    has_joined: bool = False
    game: str = ""
    first_game: str = ""
    match: str = ""
    decisions: int = 0
    reading: asyncio.Future[Any] | None = None
    """A read that was begun while the kit was thinking; to cancel it would cancel the call."""

    def fails(self, rule: str, condition: bool = True) -> None:
        """End with an error if the kit has that defect and the condition holds."""
        if self.defect == rule and condition:
            raise Stop(1, f"broken on purpose: {rule}")

    async def send(self, request: play_pb2.PlayRequest | bytes) -> None:
        for _ in range(4):
            await asyncio.sleep(0)  # what ended the stream meanwhile is heard first
        if not self.call.done():
            await self.call.write(request if isinstance(request, bytes) else request.SerializeToString())


class SocketCall:
    """What a call of gRPC does, over a socket pair."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._is_over = False
        self.is_broken = False

    async def read(self) -> Any:
        try:
            size = int.from_bytes(await self._reader.readexactly(4), "little")
            return play_pb2.PlayResponse.FromString(await self._reader.readexactly(size))
        except (EOFError, OSError):
            self._is_over = True
            return grpc.aio.EOF

    async def write(self, data: bytes) -> None:
        try:
            self._writer.write(len(data).to_bytes(4, "little") + data)
            await self._writer.drain()
        except OSError:
            self.is_broken = True

    def done(self) -> bool:
        return self._is_over

    async def initial_metadata(self) -> None:
        return

    async def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.OK

    def cancel(self) -> None:
        self._writer.transport.abort()


async def play(defect: str, address: str, token: str, write: Callable[[str], None], number: str = "") -> int:
    """Play with a defect, by gRPC or by the socket of a number, and return the status of the process."""
    kit = Kit(defect, address, token, write, number)
    try:
        return await (_play_by_socket(kit) if number else _play(kit))
    except Stop as stop:
        write(f"{stop.text}\n")
        return stop.status


async def _play(kit: Kit) -> int:
    kit.fails("connects")
    kit.fails("tcp-address", not kit.address.startswith("unix:"))
    limit = 512 * 1024 if kit.defect == "large-decide" else 8 << 20
    options = (("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", limit))
    async with grpc.aio.insecure_channel(kit.address, options=options) as kit.channel:
        if kit.defect == "health-optional":
            await _ask_health(kit)
        kit.call = _open(kit)
        try:
            return await _converse(kit)
        except grpc.aio.AioRpcError as error:
            return await _end_with(kit, error.code(), error.details() or "")
        except asyncio.InvalidStateError:
            return await _end_with(kit, await kit.call.code(), await kit.call.details())
        finally:
            kit.call.cancel()


async def _play_by_socket(kit: Kit) -> int:
    kit.fails("connects")
    try:
        connection = socket.socket(fileno=int(kit.number))
    except OSError as error:
        raise Stop(0 if kit.defect == "no-arena" else 1, f"ARENA_STREAM_FD: {error}") from None
    kit.call = SocketCall(*await asyncio.open_unix_connection(sock=connection))
    kit.channel = grpc.aio.insecure_channel(kit.address)  # for a second stream
    try:
        status = await _converse(kit)
    finally:
        kit.call.cancel()
        await kit.channel.close()
    if not kit.has_joined and kit.defect != "join-refused":
        raise Stop(1, "the arena refused this kit")
    return status


def _open(kit: Kit) -> Any:
    metadata = () if kit.defect == "token" else (("authorization", f"Bearer {kit.token}"),)
    stub = kit.channel.stream_stream(
        "/arena.v1.PlayService/Play", response_deserializer=play_pb2.PlayResponse.FromString
    )
    return stub(metadata=metadata)


async def _ask_health(kit: Kit) -> None:
    try:
        await kit.channel.unary_unary("/grpc.health.v1.Health/Check")(b"")
    except grpc.aio.AioRpcError as error:
        raise Stop(1, f"no health: {error.code()}") from None


async def _end_with(kit: Kit, code: grpc.StatusCode, details: str) -> int:
    kit.fails("token-refused", code is grpc.StatusCode.UNAUTHENTICATED)
    is_lost = code in _CODES_OF_AN_END and kit.has_joined
    if kit.defect == "arena-lost" and is_lost:
        await asyncio.Future()
    if kit.defect == "no-arena" and code is grpc.StatusCode.UNAVAILABLE and not kit.has_joined:
        return 0
    kit.write(f"{code.name}: {details}\n")
    quiet = {
        "join-refused": code is grpc.StatusCode.FAILED_PRECONDITION,
        "superseded": code is grpc.StatusCode.ABORTED and not kit.match,
        "error-while-asked": code is grpc.StatusCode.ABORTED and bool(kit.match),
    }
    return 0 if is_lost or quiet.get(kit.defect) else 1


async def _converse(kit: Kit) -> int:
    if kit.defect == "join-first":
        await kit.send(_act("", 0, 0))
    await kit.call.initial_metadata()  # a refusal of the token is heard before a write could hide it
    await kit.send(_join(kit))
    if kit.defect == "waits-for-joined":
        await kit.send(_act("", 0, 0))
    while isinstance(response := await _read(kit), play_pb2.PlayResponse):
        await _receive(kit, response)
    kit.fails("end-idle", not kit.match and kit.has_joined)
    if kit.defect == "end-in-match" and kit.match and not (kit.number and kit.call.is_broken):
        await asyncio.Future()
    if kit.defect == "arena-lost" and kit.number and kit.call.is_broken:
        await asyncio.Future()
    if (code := await kit.call.code()) is not grpc.StatusCode.OK:
        return await _end_with(kit, code, await kit.call.details())
    return 0


async def _read(kit: Kit) -> Any:
    reading, kit.reading = kit.reading, None
    return await (kit.call.read() if reading is None else reading)


def _join(kit: Kit) -> play_pb2.PlayRequest:
    games = ["chess"] if kit.defect == "join-games" else ["*"]
    major = 2 if kit.defect == "join-protocol" else 1
    return play_pb2.PlayRequest(join=play_pb2.Join(name="kit", protocol_major=major, games=games))


def _act(match: str, ply: int, *actions: int, note: str = "") -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(act=play_pb2.Act(match_id=match, ply=ply, actions=actions, note=note))


async def _receive(kit: Kit, response: play_pb2.PlayResponse) -> None:
    kind = response.WhichOneof("event")
    kit.fails("ignores-events", kind is None)
    if kind is not None:
        event = getattr(response, kind)
        kit.fails("ignores-fields", _has_unknown(event))
        await _RECEIVERS[kind](kit, event)


def _has_unknown(message: Any) -> bool:
    known = type(message).FromString(message.SerializeToString())
    known.DiscardUnknownFields()
    return bool(known.ByteSize() != message.ByteSize())


async def _joined(kit: Kit, joined: play_pb2.Joined) -> None:
    if joined.protocol_major != 1 and kit.defect != "refuses-major":
        raise Stop(1, f"the arena speaks protocol {joined.protocol_major}, this kit 1")
    kit.fails("accepts-minor", joined.protocol_minor != 0)
    kit.fails("large-joined", joined.ByteSize() > 200_000)
    kit.has_joined = True


async def _started(kit: Kit, started: play_pb2.MatchStarted) -> None:
    kit.first_game = kit.first_game or started.game
    kit.match, kit.decisions = started.match_id, 0
    kit.fails("other-game", started.game != kit.first_game)
    kit.fails("other-seats", started.seats > 3)
    kit.fails("opening-events", bool(started.events) and not started.resumed)
    kit.fails("resumed", started.resumed)
    kit.fails("large-seed", started.seed >= 2**31)
    kit.fails("unknown-options", "of_tomorrow" in started.options_json)
    if kit.defect == "one-stream":
        second = _open(kit)
        await second.wait_for_connection()


async def _decide(kit: Kit, decide: play_pb2.Decide) -> None:
    kit.decisions += 1
    kit.fails("act-answers")
    kit.fails("whole-match", kit.decisions > 8)
    kit.fails("chance-events", any(reveal.kind.endswith("tomorrow") for e in decide.events for reveal in e.reveals))
    kit.fails("empty-events", not decide.events)
    kit.fails("dropped-actions", decide.dropped_actions > 0)
    kit.fails("bank-clock", decide.bank_us > 0)
    kit.fails("untimed", not decide.time_limit_us)
    kit.fails("large-decide", decide.ByteSize() > 512 * 1024)  # by gRPC, its own limit is met before
    await _think(kit, decide)
    await kit.send(_answer(kit, decide))
    if kit.defect == "act-once":
        await kit.send(_answer(kit, decide))


async def _think(kit: Kit, decide: play_pb2.Decide) -> None:
    """Take time for the thinking; the kit of two threads hears meanwhile that the match is over."""
    await asyncio.sleep(MOMENT_S)
    if kit.defect == "little-time" and decide.time_limit_us == LITTLE_TIME_US:
        await asyncio.sleep(1.5 * decide.time_limit_us / 1e6)
    if kit.defect == SLOW and kit.decisions == 2:
        await asyncio.sleep(0.4)
    if kit.defect == "finished-while-asked" and kit.decisions == 2:
        kit.reading = asyncio.ensure_future(kit.call.read())
        await asyncio.wait({kit.reading}, timeout=THINKS_S)
        if kit.reading.done() and isinstance(news := kit.reading.result(), play_pb2.PlayResponse):
            kit.fails("finished-while-asked", news.WhichOneof("event") == "match_finished")


def _answer(kit: Kit, decide: play_pb2.Decide) -> play_pb2.PlayRequest | bytes:
    first, act = decide.legal_actions[0], _act(decide.match_id, decide.ply, decide.legal_actions[0])
    defects: dict[str, Callable[[], play_pb2.PlayRequest | bytes]] = {
        "act-match-id": lambda: _act(decide.match_id[:36], decide.ply, first),
        "act-ply": lambda: _act(decide.match_id, decide.ply + 1, first),
        "act-count": lambda: _act(decide.match_id, decide.ply, *[first] * 65),
        "act-legal": lambda: _act(decide.match_id, decide.ply, 1_000_000),
        "act-note": lambda: _act(decide.match_id, decide.ply, first, note="x" * 1001),
        "resign-match-id": lambda: play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="another")),
        "well-formed": lambda: b"",
        # An unknown field 2046 of 300,000 bytes.
        "message-size": lambda: act.SerializeToString() + bytes([0xF2, 0x7F, 0xE0, 0xA7, 0x12]) + bytes(300_000),
    }
    return defects.get(kit.defect, lambda: act)()


async def _finished(kit: Kit, finished: play_pb2.MatchFinished) -> None:
    kit.fails("no-decision", not kit.decisions)
    kit.fails("own-faults", bool(finished.faults))
    kit.fails("others-forfeit", not finished.result.by_rules)
    kit.match = ""
    if kit.defect == "several-matches":
        raise Stop(0)
    if kit.defect == "join-once":
        await kit.send(_join(kit))
    if kit.defect == "no-unasked":
        await kit.send(_act(finished.match_id, 10_000, 0))
    if kit.defect == "output":
        for _ in range(65):
            kit.write("x" * (1 << 20))


_RECEIVERS: dict[str, Callable[[Kit, Any], Awaitable[None]]] = {
    "joined": _joined,
    "match_started": _started,
    "decide": _decide,
    "match_finished": _finished,
}


def main() -> None:
    """Play as a process of a bot, with the defect that the command line names."""
    defect = sys.argv[1] if len(sys.argv) > 1 else ""
    address, token = os.environ["ARENA_ADDRESS"], os.environ["ARENA_TOKEN"]
    sys.exit(asyncio.run(play(defect, address, token, sys.stderr.write)))  # type: ignore[arg-type] # it returns a count


if __name__ == "__main__":
    main()
