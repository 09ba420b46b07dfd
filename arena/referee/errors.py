"""Encodes errors of a stream for the wire: a canonical code and a `google.rpc.ErrorInfo` in the trailers.

The two messages are written by hand, because their package (googleapis-common-protos) would be a dependency for
these few bytes alone:

    google.rpc.Status     { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }
    google.rpc.ErrorInfo  { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import any_pb2

DOMAIN = "arena"
STATUS_DETAILS_KEY = "grpc-status-details-bin"
_ERROR_INFO_URL = "type.googleapis.com/google.rpc.ErrorInfo"


@dataclass(frozen=True, slots=True)
class StreamError:
    """Why a stream is refused. `reason` is stable, UPPER_SNAKE_CASE; the message names the remedy."""

    code: grpc.StatusCode
    reason: str
    message: str
    metadata: Mapping[str, str] = field(default_factory=dict)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, payload: bytes) -> bytes:
    """Return a length-delimited field (wire type 2)."""
    return bytes((number << 3 | 2,)) + _varint(len(payload)) + payload


def encode_error_info(reason: str, metadata: Mapping[str, str]) -> bytes:
    """Return a serialized `google.rpc.ErrorInfo` of this domain."""
    pairs = (_field(1, key.encode()) + _field(2, value.encode()) for key, value in sorted(metadata.items()))
    return _field(1, reason.encode()) + _field(2, DOMAIN.encode()) + b"".join(_field(3, pair) for pair in pairs)


def encode_status(error: StreamError) -> bytes:
    """Return the serialized `google.rpc.Status` for the trailer `grpc-status-details-bin`."""
    info = any_pb2.Any(type_url=_ERROR_INFO_URL, value=encode_error_info(error.reason, error.metadata))
    code: int = error.code.value[0]
    return b"\x08" + _varint(code) + _field(2, error.message.encode()) + _field(3, info.SerializeToString())


async def abort(context: grpc.aio.ServicerContext[Any, Any], error: StreamError) -> None:
    """End the call with the error. Always raises (grpc.aio.AbortError)."""
    await context.abort(error.code, error.message, ((STATUS_DETAILS_KEY, encode_status(error)),))
