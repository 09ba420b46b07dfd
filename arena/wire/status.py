"""Writes and reads errors as they travel: a canonical code and a `google.rpc.ErrorInfo` in a trailer. Pure.

The two messages are written by hand, because their package (googleapis-common-protos) would be a dependency for
these few bytes alone:

    google.rpc.Status     { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }
    google.rpc.ErrorInfo  { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from google.protobuf import any_pb2
from google.protobuf.message import DecodeError

from engine.kit.message_writer import varint, with_length
from engine.translatable import parts_of, text_from_json

DOMAIN = "arena"
STATUS_DETAILS_KEY = "grpc-status-details-bin"
TEXT_KEY = "text"
"""In the metadata of an error: the template and the parts of its message, so that it can be translated."""
MOST_TEXT_BYTES = 2000
"""With it and the message, of half as much, a status stays well below the 8 KiB that trailers may have."""
_ERROR_INFO_URL = "type.googleapis.com/google.rpc.ErrorInfo"
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Status:
    """Why a call failed. `code` is the number of the canonical code, `reason` stable UPPER_SNAKE_CASE, or empty."""

    code: int
    reason: str
    message: str
    metadata: Mapping[str, str] = field(default_factory=dict)


def encode_status(status: Status) -> bytes:
    """Return the serialized `google.rpc.Status` for the trailer `grpc-status-details-bin`.

    Template and parts of a message that is a text go with it, as JSON in its metadata, unless they are too long.
    """
    parts = parts_of(status.message)
    if parts is None:
        told = {}
    else:
        data = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        told = {TEXT_KEY: data} if len(data.encode(errors="replace")) <= MOST_TEXT_BYTES else {}
    metadata = {**status.metadata, **told}
    info = any_pb2.Any(type_url=_ERROR_INFO_URL, value=encode_error_info(status.reason, metadata))
    return b"\x08" + varint(status.code) + _field(2, status.message.encode()) + _field(3, info.SerializeToString())


def encode_error_info(reason: str, metadata: Mapping[str, str]) -> bytes:
    """Return a serialized `google.rpc.ErrorInfo` of this domain."""
    pairs = (_field(1, key.encode()) + _field(2, value.encode()) for key, value in sorted(metadata.items()))
    return _field(1, reason.encode()) + _field(2, DOMAIN.encode()) + b"".join(_field(3, pair) for pair in pairs)


def decode_status(data: bytes) -> Status:
    """Return what a trailer says; reason and metadata are empty unless they are of this domain.

    The message is a text if its template and its parts came with it.

    Raises ValueError for bytes that are no `google.rpc.Status`.
    """
    code, message, reason = 0, "", ""
    metadata: dict[str, str] = {}
    for number, value in _read_fields(data):
        if number == 1 and isinstance(value, int):
            code = value
        elif number == 2 and isinstance(value, bytes):
            message = value.decode()
        elif number == 3 and isinstance(value, bytes):
            reason, metadata = _decode_details(value) or (reason, metadata)
    return Status(code, reason, _text_of(message, metadata.pop(TEXT_KEY, "")), metadata)


def _text_of(message: str, data: str) -> str:
    if not data or len(data) > MOST_TEXT_BYTES:
        return message
    try:
        return text_from_json(message, json.loads(data))
    except (ValueError, RecursionError):
        return message


def _decode_details(data: bytes) -> tuple[str, dict[str, str]] | None:
    """Return reason and metadata of an `ErrorInfo` of ours in an `Any`, or `None` if it holds something else."""
    try:
        details = any_pb2.Any.FromString(data)
    except DecodeError as error:
        raise ValueError("the details of the error cannot be read") from error
    if details.type_url != _ERROR_INFO_URL:
        return None
    texts, metadata = {1: "", 2: ""}, dict[str, str]()
    for number, value in _read_fields(details.value):
        if isinstance(value, bytes) and number == 3:
            pair = dict(_read_fields(value))
            metadata[_text(pair.get(1, b""))] = _text(pair.get(2, b""))
        elif isinstance(value, bytes):
            texts[number] = value.decode()
    return (texts[1], metadata) if texts[2] == DOMAIN else None


def _text(value: int | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _field(number: int, payload: bytes) -> bytes:
    """Return a length-delimited field (wire type 2)."""
    return with_length(bytes((number << 3 | _BYTES,)), payload)


def _read_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of every field of a message. Raises ValueError where the bytes are none."""
    place = 0
    while place < len(data):
        key, place = _read_varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _read_varint(data, place)
            yield number, value
            continue
        if kind == _BYTES:
            size, place = _read_varint(data, place)
        elif kind in {_EIGHT_BYTES, _FOUR_BYTES}:
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"there is no field of wire type {kind}")
        if place + size > len(data):
            raise ValueError("the message ends within a field")
        yield number, data[place : place + size]
        place += size


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift, byte in enumerate(data[place : place + 10]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, place + shift + 1
    raise ValueError("a number has no end")
