"""The Node kit reads and writes what protobuf does, in every message of the play stream and of the games."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from arena.games.foreign_king.v1.state_pb2 import ForeignKingState
from arena.games.rex_romanorum.v1.state_pb2 import RexRomanorumState
from arena.v1.play_pb2 import Act, Decide, Joined, MatchFinished, MatchStarted, PlayRequest, PlayResponse

pytestmark = pytest.mark.needs("node")

CODEC = Path(__file__).with_name("node_codec.mjs")
KINDS: tuple[type[Message], ...] = (
    *(PlayRequest, PlayResponse, Act, Decide, Joined, MatchStarted, MatchFinished),
    *(ForeignKingState, RexRomanorumState),
)
EDGES = {
    FieldDescriptor.TYPE_INT32: (1, 127, 128, -1, 2**31 - 1, -(2**31)),
    FieldDescriptor.TYPE_SINT32: (1, -1, 64, -64, 2**31 - 1, -(2**31)),
    FieldDescriptor.TYPE_INT64: (1, 2**32, 2**35 - 1, 2**53 - 1, -1, -(2**53) + 1),
    FieldDescriptor.TYPE_FIXED64: (1, 2**53 + 1, 2**64 - 1, 1 << 61),
    FieldDescriptor.TYPE_BOOL: (True, False),
    FieldDescriptor.TYPE_STRING: ("a", "KING_TO:LIE", "Köln 👑", "x" * 300),
    FieldDescriptor.TYPE_BYTES: (b"\0", b"\xff" * 62),
}


def ask(lines: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """What the kit makes of bytes, each of a kind of message."""
    text = "".join(f"{kind} {data.hex()}\n" for kind, data in lines)
    told = subprocess.run(["node", str(CODEC)], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def fill(message: Message, random: Random, depth: int = 3) -> None:
    """Set about half of the fields to values at the edges of their types."""
    for field in message.DESCRIPTOR.fields:
        if random.random() < 0.5 or (field.message_type and not depth):
            continue
        for _ in range(random.choice((1, 3)) if field.is_repeated else 1):
            if field.message_type:
                inner = getattr(message, field.name)
                inner = inner.add() if field.is_repeated else inner
                inner.SetInParent()
                fill(inner, random, depth - 1)
            else:
                choices = EDGES.get(field.type) or (1, 3)  # those of enums
                value = random.choice(choices)
                getattr(message, field.name).append(value) if field.is_repeated else setattr(message, field.name, value)


def expected(message: Message) -> dict[str, Any]:
    """The fields as the kit tells them, from protobuf's own reading."""
    return {field.json_name: _value(message, field) for field in message.DESCRIPTOR.fields}


def _value(message: Message, field: Any) -> Any:
    value = getattr(message, field.name)
    if field.message_type and not field.is_repeated:
        return expected(value) if message.HasField(field.name) else None
    return [_plain(field, each) for each in value] if field.is_repeated else _plain(field, value)


def _plain(field: Any, value: Any) -> Any:
    if field.message_type:
        return expected(value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b64encode(value).decode()
    return str(value) if field.type == FieldDescriptor.TYPE_FIXED64 else value


def sample(kind: type[Message], seed: int) -> Message:
    message = kind()
    fill(message, Random(seed))
    return message


def test_every_message_is_read_and_written_as_protobuf_does() -> None:
    messages = [kind() for kind in KINDS] + [sample(kind, seed) for kind in KINDS for seed in range(40)]
    answers = ask([(type(message).DESCRIPTOR.name, message.SerializeToString()) for message in messages])
    assert len(answers) == len(messages)
    for message, answer in zip(messages, answers, strict=True):
        assert answer["value"] == expected(message), type(message)
        assert type(message).FromString(bytes.fromhex(answer["written"])) == message


def test_numbers_of_a_list_may_come_one_by_one() -> None:
    (answer,) = ask([("Decide", b"\x20\x05\x22\x02\x06\x07\x20\x08")])
    assert answer["value"]["legalActions"] == [5, 6, 7, 8]


def test_an_unknown_field_is_skipped() -> None:
    unknown = {
        "number": b"\xa0\x06\x96\x01",
        "text": b"\xa2\x06\x03abc",
        "fixed32": b"\xa5\x06abcd",
        "fixed64": b"\xa1\x06abcdefgh",
        "group": b"\xa3\x06\x08\x01\xa4\x06",
    }
    message = Act(match_id="m", ply=3, actions=[1, 2])
    answers = ask([("Act", field + message.SerializeToString() + field) for field in unknown.values()])
    for kind, answer in zip(unknown, answers, strict=True):
        assert Act.FromString(bytes.fromhex(answer["written"])) == message, kind


def test_bytes_that_are_no_message_are_an_error() -> None:
    wrong = {
        "text": b"\x0a\x05ab",
        "number": b"\x10",
        "too long": b"\x10" + b"\xff" * 11,
        "list": b"\x1a\x02\x01\xff",
        "field 0": b"\x00\x01",
        "wire type 7": b"\x0f",
        "group": b"\xa3\x06\x08\x01",
    }
    answers = ask([("Act", data) for data in wrong.values()])
    told = dict(zip(wrong, answers, strict=True))
    assert {kind for kind, answer in told.items() if not answer.get("error", "").startswith("WireError: ")} == set()
