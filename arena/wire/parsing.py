"""Parses what a bot sends, from bytes to the values that a match judges, and what it is sent. Pure; no bytes raise."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.message import DecodeError

from arena.match.messages import MAX_ACTIONS, Answer, Malformed, Message, ProtocolViolation, Resignation
from arena.v1 import play_pb2

MAX_REQUEST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Leave:
    """The bot wants to play no more: it ends its stream in order."""


def parse_request(data: bytes) -> Message | Leave:
    """Return what a bot said after its `Join`."""
    if len(data) > MAX_REQUEST_BYTES:
        return Malformed(f"a message of {len(data)} bytes; {MAX_REQUEST_BYTES} are allowed")
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Malformed(f"{len(data)} bytes that are no PlayRequest")
    kind = request.WhichOneof("message")
    if kind == "act":
        act = request.act
        # A slice, so that a million ids are not copied only to be counted.
        return Answer(act.match_id, act.ply, act.actions[: MAX_ACTIONS + 1], act.note)
    if kind == "resign":
        return Resignation(request.resign.match_id)
    if kind == "leave":
        return Leave()
    if kind == "join":
        return ProtocolViolation("a second Join")
    return Malformed("a PlayRequest without a message")


def parse_join(data: bytes) -> play_pb2.Join | Malformed | ProtocolViolation:
    """Return the `Join` that must be the first message of a stream, or what is wrong with the message."""
    if len(data) > MAX_REQUEST_BYTES:
        return Malformed(f"{len(data)} bytes as its first message; {MAX_REQUEST_BYTES} are allowed")
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Malformed(f"{len(data)} bytes that are no PlayRequest as its first message")
    kind = request.WhichOneof("message")
    if kind is None:
        return Malformed("a PlayRequest without a message as its first")
    if kind != "join":
        return ProtocolViolation(f"{kind.capitalize()} as its first message; Join comes first")
    return request.join


def parse_response(data: bytes) -> play_pb2.PlayResponse | None:
    """Return what a bot was sent, or None for what is no message."""
    try:
        return play_pb2.PlayResponse.FromString(data)
    except DecodeError:
        return None
