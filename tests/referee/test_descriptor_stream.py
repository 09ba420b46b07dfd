"""A bot's stream over a socket pair or two pipes: pieces, floods, silence, odd lengths, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from arena.match.decisions import Answer, Malformed, ProtocolViolation
from arena.match.result import FaultCause
from arena.referee import descriptor_stream
from arena.referee import stream as stream_module
from arena.referee.descriptor_stream import MANY_READS, MOST_PAUSES, PAUSE_S, READ_BYTES
from arena.referee.framing import PROTOBUF, LineFraming
from arena.referee.server import JoinError, receive_join, welcome
from arena.referee.stream import KEPT_OUTPUT_BYTES, MAX_WAITING, Closed, Flood, StreamClosedError
from arena.wire.lines import LineQuestion
from arena.wire.messages import MAX_REQUEST_BYTES
from tests.referee.wired import (
    FIRST_ACTION,
    JOIN,
    JOINED,
    LEAVE,
    NONE_ALLOWED,
    Wire,
    act,
    asked_lines,
    frame,
    message_of,
    turns,
    write_all,
)
from tests.support.patience import PATIENCE_S
from tests.support.script_game import GAME


class TestArrival:
    """What a bot sends."""

    @pytest.mark.hostile("half-a-frame")
    @pytest.mark.parametrize("half", [2, 4, 9])
    async def test_half_a_frame_and_silence_holds_nobody_up(self, wire: Wire, half: int) -> None:
        slow, other = await wire().seated(), await wire().seated()
        slow.say(frame(act())[:half])
        await turns()
        other.say(frame(act()))
        assert await message_of(other) == FIRST_ACTION
        assert slow.heard() == []
        assert not slow.stream.is_closed
        slow.say(frame(act())[half:])
        assert await message_of(slow) == FIRST_ACTION

    async def test_half_a_line_is_none_until_its_end(self, wire: Wire) -> None:
        bot = await wire(asked_lines()).seated()
        bot.say(b'{"actions"')
        await turns()
        assert bot.heard() == []
        bot.say(b":[0]}\n")
        assert await message_of(bot) == FIRST_ACTION

    async def test_several_frames_that_come_together_are_several_messages(self, wire: Wire) -> None:
        bot = await wire().seated()
        bot.say(frame(act()) + frame(act("x")) + frame(act("y"))[:7])
        assert [await message_of(bot), await message_of(bot)] == [FIRST_ACTION, Answer("m", 0, (0,), "x")]
        bot.say(frame(act("y"))[7:])
        assert await message_of(bot) == Answer("m", 0, (0,), "y")

    @pytest.mark.hostile("wrong-length")
    @pytest.mark.parametrize(
        ("head", "why"),
        [
            (b"\xff\xff\xff\xff", "a message of 4294967295 bytes; "),  # -1 for who writes it with a sign
            ((1 << 31).to_bytes(4, "little"), "a message of 2147483648 bytes; "),
            ((MAX_REQUEST_BYTES + 1).to_bytes(4, "little"), "a message of 262145 bytes; "),
            (b"\0\0\0\1", "a message of 16777216 bytes; "),  # 1 for who writes the other end first
        ],
    )
    async def test_a_length_that_is_too_great_is_malformed_and_nothing_more_is_read(
        self, wire: Wire, reads: Counter[int], head: bytes, why: str
    ) -> None:
        bot = await wire().seated()
        bot.say(head + b"x" * 70)
        assert await message_of(bot) == Malformed(why + NONE_ALLOWED)
        assert bot.stream.last_message == (head + b"x" * 70)[:64]
        before = reads.copy()
        bot.say(frame(act()))
        await turns()
        assert reads == before
        assert bot.heard() == []

    async def test_no_bytes_are_a_message_without_one(self, wire: Wire) -> None:
        bot = await wire().seated()
        bot.say(frame(b""))
        assert await message_of(bot) == Malformed("a PlayRequest without a message")

    @pytest.mark.hostile("byte-by-byte")
    @pytest.mark.usefixtures("no_pause")
    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    @pytest.mark.parametrize("size", [20_000, pytest.param(MAX_REQUEST_BYTES, marks=pytest.mark.needs("minutes"))])
    async def test_the_longest_message_may_come_byte_by_byte(self, wire: Wire, framing: Any, size: int) -> None:
        bot = await wire(asked_lines() if framing == "lines" else framing).seated()
        note = "x" * (size - 40)
        data = frame(act(note)) if framing is PROTOBUF else b'{"actions":[0],"note":"' + note.encode() + b'"}\n'
        for byte in range(len(data)):
            while True:
                try:
                    os.write(bot.writes, data[byte : byte + 1])
                    break
                except BlockingIOError:
                    await asyncio.sleep(0)
        assert await message_of(bot) == Answer("m", 0, (0,), note)

    async def test_the_longest_line_is_read_and_one_more_byte_is_malformed(self, wire: Wire) -> None:
        exact = b"0" + b" " * (MAX_REQUEST_BYTES - 2) + b"?"
        for line, expected in ((exact, ProtocolViolation), (exact + b"?", Malformed)):
            bot = await wire(asked_lines()).seated()
            writing = asyncio.create_task(write_all(bot, line + b"\n"))
            assert isinstance(await message_of(bot), expected)
            bot.stream.close()
            await writing

    @pytest.mark.hostile("endless-line")
    @pytest.mark.usefixtures("no_pause")
    async def test_of_a_line_without_end_only_so_much_is_kept(self, wire: Wire) -> None:
        bot = await wire(asked_lines()).seated()
        most = 0
        while not bot.stream.spoiled:  # as soon as it is not read any more
            bot.fill(b"9" * 4096)
            most = max(most, len(bot.stream._buffer))
            await asyncio.sleep(0)
        (malformed,) = bot.heard()
        assert isinstance(malformed, Malformed)
        assert malformed.why.endswith(NONE_ALLOWED)
        assert most <= MAX_REQUEST_BYTES + READ_BYTES
        assert len(bot.stream._buffer) <= KEPT_OUTPUT_BYTES
        assert bot.stream.last_message == b"9" * 64

    @pytest.mark.hostile("first-message-too-long")
    async def test_a_first_message_that_is_too_long_is_told(self, wire: Wire) -> None:
        bot = wire()
        bot.stream.start()
        bot.say(b"\0\0\0\x7f" + b"x" * 10)
        with pytest.raises(JoinError, match=r"It sent a message of 2130706432 bytes; 262144 are allowed\.") as refused:
            await receive_join(bot.stream)
        assert refused.value.cause is FaultCause.MALFORMED

    async def test_a_second_join_and_a_leave_are_what_they_are_by_grpc(self, wire: Wire) -> None:
        bot = await wire().seated()
        bot.say(frame(JOIN) + frame(LEAVE) + frame(act()))
        assert await message_of(bot) == ProtocolViolation("a second Join")
        assert await message_of(bot) == Closed("It left.")
        await turns()
        assert bot.heard() == []


class TestFloods:
    """What nobody has asked for."""

    @pytest.mark.hostile("flood-of-messages")
    @pytest.mark.parametrize("message", [b"\0\0\0\0", frame(act())])
    async def test_of_a_flood_only_so_many_messages_wait_and_reading_stops(
        self, wire: Wire, reads: Counter[int], message: bytes
    ) -> None:
        bot = await wire().seated()
        reads.clear()
        bot.fill(message * 100)
        await turns()
        heard = bot.heard()
        assert len(heard) == MAX_WAITING + 1
        assert heard[-1] == Flood()
        assert sum(reads.values()) == 1
        assert bot.stream.heard == MAX_WAITING + 2  # its Join, and the one too many

    @pytest.mark.hostile("flood-of-messages")
    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    async def test_an_idle_bot_that_speaks_is_spoiled_and_read_no_more(
        self, wire: Wire, reads: Counter[int], framing: Any
    ) -> None:
        bot = wire(asked_lines() if framing == "lines" else framing).begin()
        await bot.stream.first_message
        await turns()
        reads.clear()
        bot.fill(b"0\n" * 100 if framing == "lines" else frame(act()) * 100)
        await turns()
        assert bot.stream.spoiled == "it sent a message while no match asked it"
        assert sum(reads.values()) == 1
        assert len(bot.stream._buffer) <= READ_BYTES
        bot.stream.attach(bot.inbox, 0)
        await turns()
        assert bot.heard() == []

    async def test_what_a_bot_of_lines_wrote_before_it_was_asked_is_quoted(self, wire: Wire) -> None:
        bot = wire(LineFraming("bot", ["*"])).begin()
        bot.say(b"Hello, I am a bot\n")
        await turns()
        assert bot.stream.spoiled.startswith("it sent a line before it was asked: 'Hello, I am a bot'")
        welcoming = asyncio.create_task(welcome(bot.stream, JOINED))
        await turns()
        bot.read()
        with pytest.raises(JoinError, match="Before its match started, it sent a line before it was asked") as refused:
            await welcoming
        assert refused.value.cause is FaultCause.PROTOCOL

    async def test_an_answer_before_the_question_and_a_second_answer_are_breaches(self, wire: Wire) -> None:
        framing = LineFraming("bot", ["*"])
        bot = await wire(framing).seated()
        bot.say(b"0\n")
        assert await message_of(bot) == ProtocolViolation("a line before it was asked: '0'")
        framing.question = LineQuestion("m", 0, GAME.actions)
        bot.say(b"0\n1\n")
        assert await message_of(bot) == FIRST_ACTION
        assert await message_of(bot) == ProtocolViolation("a line before it was asked: '1'")

    @pytest.mark.hostile("endless-blanks")
    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    async def test_who_writes_on_without_a_message_is_read_only_now_and_then(
        self, wire: Wire, reads: Counter[int], monkeypatch: pytest.MonkeyPatch, framing: Any
    ) -> None:
        bot = await wire(asked_lines() if framing == "lines" else framing).seated()
        monkeypatch.setattr(descriptor_stream, "PAUSE_S", PATIENCE_S)
        reads.clear()
        begin = b"" if framing == "lines" else MAX_REQUEST_BYTES.to_bytes(4, "little")
        bot.say(begin + b"\n")
        for _ in range(3 * MANY_READS):
            await turns()
            with contextlib.suppress(BlockingIOError):
                os.write(bot.writes, b"\n")
        assert sum(reads.values()) == MANY_READS
        assert bot.heard() == []
        assert not bot.stream.is_closed

    @pytest.mark.hostile("endless-blanks")
    async def test_it_is_read_more_and_more_rarely_until_it_sends_a_message(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bot = await wire(asked_lines()).seated()
        loop, pauses = asyncio.get_running_loop(), list[float]()
        call_soon = loop.call_soon

        def note(delay: float, callback: Callable[[], None]) -> Any:
            pauses.append(delay)
            return call_soon(callback)

        monkeypatch.setattr(loop, "call_later", note)
        for _ in range(MANY_READS + MOST_PAUSES + 5):
            bot.say(b"\n")
            await turns()
        grows = [PAUSE_S * times for times in range(1, MOST_PAUSES + 1)]
        assert pauses == pytest.approx([*grows, *[grows[-1]] * (len(pauses) - MOST_PAUSES)])
        assert len(pauses) > MOST_PAUSES
        pauses.clear()
        bot.say(b"0\n")
        await turns()
        assert bot.heard() == [FIRST_ACTION]
        for _ in range(MANY_READS):
            bot.say(b"\n")
            await turns()
        assert pauses == [PAUSE_S]

    @pytest.mark.usefixtures("no_pause")
    async def test_after_many_blanks_its_answer_is_taken(self, wire: Wire) -> None:
        bot = await wire(asked_lines()).seated()
        for _ in range(3 * MANY_READS):
            bot.say(b"\n\r\n \t\r\n")
            await turns()
        assert not bot.stream._buffer
        bot.say(b"\n  0\n")
        assert await message_of(bot) == FIRST_ACTION

    async def test_a_flood_that_is_reported_ends_the_stream(self, wire: Wire) -> None:
        bot = await wire().seated()
        bot.stream.report_flood(Flood())
        assert bot.heard() == [Flood(), Closed("It was disconnected.")]
        assert os.read(bot.reads, 1) == b""


class TestSending:
    """What a bot is sent."""

    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    async def test_a_large_message_goes_in_pieces_and_in_order(self, wire: Wire, framing: Any) -> None:
        framing = asked_lines() if framing == "lines" else framing
        bot = await wire(framing).seated()
        bot.stream._has_started = True
        large = bytes(range(256)) * 8_000
        sending = [asyncio.create_task(bot.stream.send(data)) for data in (large, b"small", b"")]
        await turns()
        assert not sending[0].done()
        expected = framing.pack(large) + framing.pack(b"small") + framing.pack(b"")
        read = b""
        while len(read) < len(expected):
            read += bot.read()
            await asyncio.sleep(0)
        await asyncio.gather(*sending)
        assert read == expected

    async def test_a_small_message_is_sent_at_once(self, wire: Wire) -> None:
        bot = await wire().seated()
        await bot.stream.send(b"decide")
        assert bot.read() == frame(b"decide")

    @pytest.mark.hostile("stop-reading")
    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    async def test_a_bot_that_does_not_read_is_given_up(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch, framing: Any
    ) -> None:
        bot = await wire(asked_lines() if framing == "lines" else framing).seated()
        bot.stream._has_started = True
        monkeypatch.setattr(stream_module, "STOPPED_READING_S", 0.001)
        with pytest.raises(StreamClosedError, match="did not read for"):
            await bot.stream.send(b"x" * 5_000_000)
        assert bot.stream.is_closed
        assert not bot.stream._unsent
        with pytest.raises(StreamClosedError):
            await bot.stream.send(b"")

    async def test_a_stream_that_is_closed_with_something_unsent_says_so_to_who_sends(self, wire: Wire) -> None:
        bot = await wire().seated()
        sending = asyncio.create_task(bot.stream.send(b"x" * 5_000_000))
        await turns()
        bot.stream.close()
        with pytest.raises(StreamClosedError, match="the arena closed it"):
            await sending

    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    async def test_a_bot_that_reads_no_more_is_gone(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch, framing: Any
    ) -> None:
        monkeypatch.setattr(descriptor_stream, "LAST_WORDS_S", 0.001)
        bot = await wire(asked_lines() if framing == "lines" else framing).seated()
        if framing == "lines":
            bot.close(bot.reads)
        else:
            bot.shut(socket.SHUT_RD)
        with pytest.raises(StreamClosedError, match=r"Its stream broke off\."):
            await bot.stream.send(b"{}")
        assert bot.heard() == [Closed("Its stream broke off.")]

    async def test_a_bot_that_closes_its_standard_input_in_the_middle_of_a_message_is_gone(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(descriptor_stream, "LAST_WORDS_S", 0.001)
        bot = await wire(asked_lines()).seated()
        bot.stream._has_started = True
        sending = asyncio.create_task(bot.stream.send(b"x" * 1_000_000))
        await turns()
        bot.close(bot.reads)
        with pytest.raises(StreamClosedError, match=r"Its stream broke off\."):
            await sending
        assert bot.heard() == [Closed("Its stream broke off.")]

    async def test_what_it_said_last_tells_why_it_is_gone(self, wire: Wire) -> None:
        bot = await wire().seated()
        bot.say(frame(LEAVE))
        bot.shut(socket.SHUT_RD)
        with pytest.raises(StreamClosedError, match=r"It left\."):
            await bot.stream.send(b"decide")


class TestEnd:
    """How a stream ends, and what is left of it."""

    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    async def test_a_bot_that_writes_no_more_has_ended(self, wire: Wire, framing: Any) -> None:
        bot = await wire(asked_lines() if framing == "lines" else framing).seated()
        if framing == "lines":
            bot.close(bot.writes)
        else:
            bot.shut(socket.SHUT_WR)
        assert await message_of(bot) == Closed("Its stream ended.")
        with pytest.raises(StreamClosedError, match=r"Its stream ended\."):
            await bot.stream.send(b"")

    async def test_a_bot_that_ends_with_something_unread_is_heard_before(self, wire: Wire) -> None:
        bot = await wire().seated()
        await bot.stream.send(b"decide")
        bot.say(frame(act()))
        bot.close()
        assert [await message_of(bot), await message_of(bot)] == [FIRST_ACTION, Closed("Its stream ended.")]

    @pytest.mark.hostile("half-a-frame")
    async def test_half_a_frame_before_the_end_is_no_message(self, wire: Wire) -> None:
        bot = await wire().seated()
        bot.say(frame(act())[:-1])
        bot.close()
        assert await message_of(bot) == Closed("Its stream ended.")

    async def test_an_end_before_the_first_message_is_told(self, wire: Wire) -> None:
        bot = wire()
        bot.stream.start()
        bot.close()
        with pytest.raises(JoinError, match="It closed its stream before it joined"):
            await receive_join(bot.stream)

    async def test_a_muted_stream_is_not_read_and_its_descriptors_are_given_back(
        self, wire: Wire, reads: Counter[int]
    ) -> None:
        bot = await wire().seated()
        bot.stream.mute()
        reads.clear()
        bot.say(frame(act()))
        bot.close()
        await turns()
        assert not reads
        bot.stream.close()
        assert bot.stream.descriptor() is None

    @pytest.mark.parametrize("framing", [PROTOBUF, "lines"])
    @pytest.mark.parametrize("way", ["close", "leave", "bot closes", "flood", "unsent", "never started"])
    async def test_descriptors_are_closed_once(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch, framing: Any, way: str
    ) -> None:
        bot = wire(asked_lines() if framing == "lines" else framing)
        closed: Counter[int] = Counter()
        close = os.close

        def counting(number: int) -> None:
            closed[number] += 1
            close(number)

        monkeypatch.setattr(os, "close", counting)
        if way != "never started":
            await bot.seated()
        if way == "leave":
            bot.say(b'{"leave":{}}\n' if framing == "lines" else frame(LEAVE))
        elif way == "bot closes":
            bot.close()
        elif way == "flood":
            bot.stream.report_flood(Flood())
        elif way == "unsent":
            bot.stream._write(b"x" * 5_000_000)
        await turns()
        bot.stream.close()
        bot.stream.close()
        await turns()
        assert {number: closed[number] for number in bot.numbers} == dict.fromkeys(bot.numbers, 1)
