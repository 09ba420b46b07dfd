"""How the messages of a bot's stream are written: as protobuf, or as lines of JSON (docs/protocol.md).

The messages are those of play.proto in either form. By gRPC each travels as it is; over a descriptor a frame of
protobuf has its length in front, and a line of JSON its end behind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from arena.match.decisions import Answer, Decision, Malformed, Message, ProtocolViolation, Resignation
from arena.match.match import Match
from arena.v1 import play_pb2
from arena.wire.lines import LineQuestion, decide_line, parse_line, response_line
from arena.wire.messages import (
    MAX_REQUEST_BYTES,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    Leave,
    MatchEncoder,
    parse_request,
    what_is_left,
)
from engine import registry
from engine.core import Game
from engine.translatable import Text

LENGTH_BYTES = 4
"""The length of a frame: unsigned, little-endian."""
_SPACE = b" \t\r\n"
_BLANKS = re.compile(rb"(?:[ \t\r\n]++|\xef\xbb\xbf)*+")
"""What may stand before a line: blanks, and byte-order marks. A bot can send many; this keeps nothing of them."""


class FrameTooLongError(Exception):
    """A message is longer than any may be, or never ends."""

    def __init__(self, size: int) -> None:
        """`size` is how many bytes it has, as far as that is known."""
        super().__init__(size)
        self.malformed = Malformed(
            Text("a message of {bytes} bytes; {most} are allowed", bytes=size, most=MAX_REQUEST_BYTES)
        )


class Encoder(Protocol):
    """Encodes the messages of one match; `arena.wire.messages.MatchEncoder` tells what each is."""

    def started(self, seat: int) -> bytes: ...

    def resumed(self, seat: int) -> bytes: ...

    def decide(self, decision: Decision) -> bytes: ...

    def decide_again(self, decision: Decision, elapsed_us: int) -> bytes: ...

    def finished(self, seat: int) -> bytes: ...


class Framing(Protocol):
    """What one stream's messages look like."""

    @property
    def join(self) -> bytes | None:
        """The `Join` that the arena makes for the bot; None if the bot sends it."""

    def parse(self, data: bytes) -> Message | Leave:
        """Return what a bot said after its `Join`."""

    def write(self, response: bytes) -> bytes:
        """Return a serialized `PlayResponse` as the bot reads it."""

    def encoder(self, match: Match, protobuf: MatchEncoder) -> Encoder:
        """Return what encodes a match for the bot; `protobuf` does for those who read that."""

    def explain_unasked(self, what: object) -> str:
        """Return what it did that sent `what` while no match asked it; the end of a sentence."""

    def show(self, data: bytes) -> str:
        """Return the beginning of a message as evidence shows it."""

    def pack(self, data: bytes) -> bytes:
        """Return a message as it goes through a descriptor."""

    def split(self, buffer: bytearray, *, is_last: bool) -> bytes | None:
        """Take the next message off the buffer; None if it is not complete. `is_last`: nothing follows the buffer.

        Raises FrameTooLongError.
        """


class ProtobufFraming:
    """Carries serialized messages."""

    join = None

    def parse(self, data: bytes) -> Message | Leave:
        return parse_request(data)

    def write(self, response: bytes) -> bytes:
        return response

    def encoder(self, _match: Match, protobuf: MatchEncoder) -> Encoder:
        return protobuf

    def explain_unasked(self, _what: object) -> str:
        return Text("it sent a message while no match asked it")

    def show(self, data: bytes) -> str:
        return data.hex()

    def pack(self, data: bytes) -> bytes:
        return len(data).to_bytes(LENGTH_BYTES, "little") + data

    def split(self, buffer: bytearray, *, is_last: bool) -> bytes | None:  # noqa: ARG002 - half a frame is none
        if len(buffer) < LENGTH_BYTES:
            return None
        size = int.from_bytes(buffer[:LENGTH_BYTES], "little")
        if size > MAX_REQUEST_BYTES:
            raise FrameTooLongError(size)
        end = LENGTH_BYTES + size
        if len(buffer) < end:
            return None
        data = bytes(memoryview(buffer)[LENGTH_BYTES:end])
        del buffer[:end]
        return data


PROTOBUF: Framing = ProtobufFraming()


class LineFraming:
    """Carries lines of JSON of one bot. It knows what the bot was asked last, which a short answer refers to."""

    def __init__(self, name: str, games: Sequence[str]) -> None:
        """`name` and `games` are those of its manifest."""
        join = play_pb2.Join(
            name=name, protocol_major=PROTOCOL_MAJOR, protocol_minor=PROTOCOL_MINOR, games=games
        )  # fmt: skip
        self.join = play_pb2.PlayRequest(join=join).SerializeToString()
        self.question: LineQuestion | None = None
        """The `Decide` that has no answer yet; who sends one notes it here."""
        self._game: Game | None = None

    def parse(self, data: bytes) -> Message | Leave:
        message = parse_line(data, self.question)
        assert message is not None, "blank lines are no messages"
        if isinstance(message, Answer | Resignation):
            self.question = None
        return message

    def write(self, response: bytes) -> bytes:
        message = play_pb2.PlayResponse.FromString(response)
        if message.HasField("match_started"):
            self._game = registry.get(message.match_started.game)
        if not message.HasField("decide"):
            return response_line(message)
        assert self._game is not None, "a match that asks has started"
        decide, actions = message.decide, self._game.actions
        self.question = LineQuestion(decide.match_id, decide.ply, actions)
        return response_line(message, self._game.observed(decide.observation.value).to_json(), actions.names)

    def encoder(self, match: Match, protobuf: MatchEncoder) -> Encoder:
        return LineEncoder(self, match, protobuf)

    def explain_unasked(self, what: object) -> str:
        if isinstance(what, Malformed | ProtocolViolation):
            return Text("it sent {what}", what=what.why)
        return Text("it sent a message while no match asked it")

    def show(self, data: bytes) -> str:
        return data.decode("utf-8", "backslashreplace")

    def pack(self, data: bytes) -> bytes:
        return data

    def split(self, buffer: bytearray, *, is_last: bool) -> bytes | None:
        blanks = _BLANKS.match(buffer)
        assert blanks is not None, "there may be none of them"
        del buffer[: blanks.end()]
        end = buffer.find(b"\n", 0, MAX_REQUEST_BYTES + 1)
        if end < 0 and len(buffer) > MAX_REQUEST_BYTES:
            raise FrameTooLongError(len(buffer))
        if end < 0 and not (is_last and buffer):
            return None
        line = bytes(buffer if end < 0 else buffer[:end])
        del buffer[: len(line) + 1]
        return line.rstrip(_SPACE)


class LineEncoder:
    """Encodes one match as lines of JSON."""

    def __init__(self, framing: LineFraming, match: Match, protobuf: MatchEncoder) -> None:
        self._framing = framing
        self._match = match
        self._protobuf = protobuf

    def started(self, seat: int) -> bytes:
        return self._framing.write(self._protobuf.started(seat))

    def resumed(self, seat: int) -> bytes:
        return self._framing.write(self._protobuf.resumed(seat))

    def decide(self, decision: Decision) -> bytes:
        match_id, playing = self._match.spec.match_id, self._match.playing
        actions = playing.game.actions
        self._framing.question = LineQuestion(match_id, decision.ply, actions)
        return decide_line(match_id, decision, playing.state.observation_json(decision.seat), actions.names)

    def decide_again(self, decision: Decision, elapsed_us: int) -> bytes:
        return self.decide(what_is_left(decision, elapsed_us))

    def finished(self, seat: int) -> bytes:
        return self._framing.write(self._protobuf.finished(seat))
