"""Parses what a bot sends, from bytes to the values that a match judges, and what it is sent. Pure; no bytes raise."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.message import DecodeError

from arena.match.decisions import MAX_ACTIONS, Answer, Malformed, Message, ProtocolViolation, Resignation
from arena.v1 import play_pb2
from engine.text import Text

MAX_REQUEST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Leave:
    """The bot wants to play no more: it ends its stream in order."""


def parse_request(data: bytes) -> Message | Leave:
    """Return what a bot said after its `Join`."""
    if len(data) > MAX_REQUEST_BYTES:
        return Malformed(
            Text(
                "wire.message_bytes_allowed",
                "a message of {bytes} bytes; {most} are allowed",
                bytes=len(data),
                most=MAX_REQUEST_BYTES,
            )
        )
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Malformed(Text("conform.bytes_no_playrequest", "{bytes} bytes that are no PlayRequest", bytes=len(data)))
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
        return ProtocolViolation(Text("wire.second_join", "a second Join"))
    return Malformed(Text("wire.playrequest_without_message", "a PlayRequest without a message"))


def parse_join(data: bytes) -> play_pb2.Join | Malformed | ProtocolViolation:
    """Return the `Join` that must be the first message of a stream, or what is wrong with the message."""
    if len(data) > MAX_REQUEST_BYTES:
        return Malformed(
            Text(
                "wire.bytes_first_message_allowed",
                "{bytes} bytes as its first message; {most} are allowed",
                bytes=len(data),
                most=MAX_REQUEST_BYTES,
            )
        )
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Malformed(
            Text(
                "wire.bytes_no_playrequest_first_message",
                "{bytes} bytes that are no PlayRequest as its first message",
                bytes=len(data),
            )
        )
    kind = request.WhichOneof("message")
    if kind is None:
        return Malformed(Text("wire.playrequest_without_message_first", "a PlayRequest without a message as its first"))
    if kind != "join":
        return ProtocolViolation(
            Text(
                "wire.first_message_join_comes_first",
                "{kind} as its first message; Join comes first",
                kind=kind.capitalize(),
            )
        )
    return request.join


def parse_response(data: bytes) -> play_pb2.PlayResponse | None:
    """Return what a bot was sent, or None for what is no message."""
    try:
        return play_pb2.PlayResponse.FromString(data)
    except DecodeError:
        return None
