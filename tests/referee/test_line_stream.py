"""Lines of JSON over two pipes, and streams by descriptors that are passed on to another process."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from arena.match.decisions import Malformed, ProtocolViolation, Resignation
from arena.match.result import FaultCause
from arena.referee import descriptor_stream
from arena.referee import stream as stream_module
from arena.referee.descriptor_stream import MANY_READS
from arena.referee.forwarded_stream import PassedDescriptorStream
from arena.referee.framing import PROTOBUF, Framing, LineFraming
from arena.referee.server import JoinError, welcome
from arena.referee.stream import Closed, Flood
from arena.v1 import play_pb2
from engine.translatable import Text, to_json
from tests.referee.wired import (
    FIRST_ACTION,
    JOIN,
    JOINED,
    Wire,
    act,
    asked_lines,
    frame,
    message_of,
    turns,
    write_all,
)
from tests.support.patience import PATIENCE_S, until

DEEP = b"[" * 100_000
NO_VALUE = "an action is written as its id, which is a whole number, or as its notation in quotes"
ANSWERS = [
    b"0\n",
    b"0\r\n",
    b"\xef\xbb\xbf0\n",
    b"\xef\xbb\xbf\r\n\xef\xbb\xbf \n0\n",
    b"\n\n \t\r\n0 \t \n",
    b'"ADD:0"\n',
    b"[0]\n",
    b'{"actions":["ADD:0"]}\n',
    b'{"act":{"match_id":"m","ply":0,"actions":[0]}}\n',
]
BREACHES = [
    (b"\0\n", "it is no JSON"),
    (b"0\0\n", "it is no JSON"),
    (b'"\xff\xfe"\n', "it is not UTF-8"),
    (DEEP + b"\n", "it is nested too deep"),
    (b"1e400\n", NO_VALUE),
    (b"NaN\n", NO_VALUE),
    (b"-Infinity\n", NO_VALUE),
    (b"0.0\n", NO_VALUE),
    (b"null\n", NO_VALUE),
    (b"[true]\n", NO_VALUE),
    (b'{"actions":[0],"actions":[1]}\n', "it has a key twice"),
    (b'{"join":{}}\n', "the key 'join' is unknown there"),
    (b'"FLY"\n', "'FLY'"),
    (b"my move is 0\n", "it is no JSON; standard output is for answers only, and logs belong on standard error"),
]


class TestLines:
    """What a line may be."""

    @pytest.mark.parametrize("line", ANSWERS)
    @pytest.mark.parametrize("is_last", [False, True])
    async def test_an_answer_is_taken_however_it_is_written(self, wire: Wire, line: bytes, is_last: bool) -> None:
        bot = await wire(asked_lines()).seated()
        bot.say(line.rstrip(b"\r\n") if is_last else line)
        if is_last:
            bot.close(bot.writes)
        assert await message_of(bot) == FIRST_ACTION
        if is_last:
            assert await message_of(bot) == Closed("Its stream ended.")

    @pytest.mark.hostile("odd-lines")
    @pytest.mark.parametrize(("line", "why"), BREACHES)
    async def test_what_is_no_answer_is_a_breach_that_quotes_it(self, wire: Wire, line: bytes, why: str) -> None:
        bot = await wire(asked_lines()).seated()
        await write_all(bot, line)
        breach = await message_of(bot)
        assert isinstance(breach, ProtocolViolation)
        assert breach.why.startswith("a line that is no answer: '")
        assert why in breach.why
        assert len(breach.why) < 300

    @pytest.mark.parametrize(("line", "shown"), [(b'"PASS"', '"PASS"'), (b"caf\xc3\xa9 \xff", "café \\xff")])
    def test_it_is_shown_as_text(self, line: bytes, shown: str) -> None:
        assert asked_lines().show(line) == shown

    async def test_it_may_give_up_or_leave(self, wire: Wire) -> None:
        bot = await wire(asked_lines()).seated()
        bot.say(b'{"resign":{}}\n{"leave":{}}\n')
        assert await message_of(bot) == Resignation("m")
        assert await message_of(bot) == Closed("It left.")

    async def test_a_bot_has_started_when_it_has_read_its_first_line(self, wire: Wire) -> None:
        bot = wire(LineFraming("bot", ["*"])).begin()
        welcoming = asyncio.create_task(welcome(bot.stream, JOINED))
        await turns()
        assert not welcoming.done()
        assert bot.read() == b'{"joined":{"protocol_major":1,"protocol_minor":0,"games":[]}}\n'
        await welcoming

    @pytest.mark.parametrize("size", [10, 1_000_000])
    async def test_its_first_line_may_be_longer_than_a_pipe_and_it_may_take_long_to_start(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch, size: int
    ) -> None:
        monkeypatch.setattr(stream_module, "STOPPED_READING_S", 0)
        bot = wire(LineFraming("bot", ["*"])).begin()
        game = play_pb2.GameInfo(name="x" * size)
        joined = play_pb2.PlayResponse(joined=play_pb2.Joined(games=[game])).SerializeToString()
        welcoming = asyncio.create_task(welcome(bot.stream, joined))
        await turns()
        read = b""
        while not read.endswith(b"\n"):
            read += bot.read()
            await asyncio.sleep(0)
        await welcoming
        assert len(read) > size

    @pytest.mark.parametrize("reads_first", [False, True])
    async def test_one_that_ends_before_it_has_read_has_not_started(self, wire: Wire, reads_first: bool) -> None:
        bot = wire(LineFraming("bot", ["*"])).begin()
        if reads_first:
            bot.close(bot.reads)
            await turns()
        bot.close()
        with pytest.raises(JoinError) as refused:
            await welcome(bot.stream, JOINED)
        assert refused.value.cause is FaultCause.START_FAILED


class Other:
    """Notes what the process that plays is told; it takes more when it is let."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.may_go_on = asyncio.Event()

    def pass_on(self, event: str, blob: bytes = b"", **values: object) -> None:
        self.told.append((event, *filter(None, [blob, values])))

    async def drain(self) -> None:
        await self.may_go_on.wait()

    def make(self, reading: int, writing: int, framing: Framing) -> PassedDescriptorStream:
        return PassedDescriptorStream(reading, writing, framing, self.pass_on, self.drain)


class TestPassedOn:
    """A stream by descriptors that another process plays with."""

    async def test_every_message_is_passed_on_and_then_the_end(self, wire: Wire) -> None:
        other = Other()
        other.may_go_on.set()
        bot = wire(PROTOBUF, other.make).begin()
        bot.say(frame(act()) + frame(b"noise"))
        bot.close()
        await until(lambda: bot.stream.is_closed)
        assert other.told == [("stream",), ("message", JOIN), ("message", act()), ("message", b"noise"), ("ended",)]
        assert bot.stream.heard == 3

    async def test_lines_are_passed_on_and_the_stream_is_there_before_they_are(self, wire: Wire) -> None:
        other = Other()
        other.may_go_on.set()
        bot = wire(LineFraming("", ()), other.make).begin()
        await until(lambda: other.told == [("stream",)])
        bot.say(b"\xef\xbb\xbf\n0\r\nnonsense\n\xef\xbb\xbf\n")
        bot.close(bot.writes)
        await until(lambda: bot.stream.is_closed)
        assert other.told == [("stream",), ("message", b"0"), ("message", b"nonsense"), ("ended",)]

    async def test_what_is_too_long_is_refused_and_not_passed_on(self, wire: Wire) -> None:
        other = Other()
        other.may_go_on.set()
        bot = wire(PROTOBUF, other.make).begin()
        bot.say(b"\xff\xff\xff\xff" + b"x" * 9)
        await until(lambda: len(other.told) == 3)
        why = Malformed(Text("a message of {bytes} bytes; {most} are allowed", bytes=2**32 - 1, most=2**18)).why
        assert other.told[2] == ("refused", b"\xff\xff\xff\xff" + b"x" * 9, {"why": to_json(why)})
        bot.say(frame(act()))
        await turns()
        assert len(other.told) == 3

    async def test_no_more_is_read_than_the_other_process_takes(self, wire: Wire, reads: Counter[int]) -> None:
        other = Other()
        bot = wire(PROTOBUF, other.make).begin()
        await until(lambda: len(other.told) == 2)
        reads.clear()
        bot.say(frame(act()))
        await turns()
        assert not reads
        other.may_go_on.set()
        await until(lambda: len(other.told) == 3)

    async def test_who_writes_on_without_a_message_is_read_only_now_and_then_there_as_well(
        self, wire: Wire, reads: Counter[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = Other()
        other.may_go_on.set()
        bot = wire(LineFraming("", ()), other.make).begin()
        monkeypatch.setattr(descriptor_stream, "PAUSE_S", PATIENCE_S)
        for _ in range(3 * MANY_READS):
            bot.say(b"\n")
            await turns()
        assert sum(reads.values()) == MANY_READS

    async def test_a_second_stream_and_a_flood_are_passed_on(self, wire: Wire) -> None:
        other = Other()
        bot = await wire(PROTOBUF, other.make).seated()
        bot.stream.report_second_stream()
        bot.stream.report_flood(Flood("It sent too much.", {"bytes": 9}))
        assert ("second",) in other.told
        assert ("flood", {"why": "It sent too much.", "evidence": {"bytes": 9}}) in other.told
        assert bot.stream.is_closed
