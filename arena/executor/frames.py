"""Messages between coordinator and workers: a JSON head and a blob, each with its length before it.

Coordinator to worker: {"do": "play", "ticket": 1, "spec": ...}, {"do": "cancel", "ticket": 1}; the end of the stream
says stop. Worker to coordinator: {"event": "ready"}, {"event": "report", "ticket": 1, ...} with the replay as blob,
{"event": "lost", "ticket": 1, "reason": ..., "cause": ..., "evidence": ..., "is_last": ...}; `is_last` says that the
worker ends now and has begun none of the others. A ticket is one order: a match may be ordered again after it was lost.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from arena.executor.interface import HostBrokenError, MatchLostError
from arena.match.spec import Fault, FaultCause, HostCause, LeakCheck, LeakVerdict, MatchReport, MatchResult

_LENGTHS = struct.Struct(">II")
MAX_FRAME_BYTES = 64 * 1024 * 1024


class FrameError(Exception):
    """The other side does not speak this language."""


def encode_frame(head: Mapping[str, Any], blob: bytes = b"") -> bytes:
    """One message; `read_frame` is the inverse."""
    text = json.dumps(head).encode()
    return _LENGTHS.pack(len(text), len(blob)) + text + blob


async def read_frame(reader: asyncio.StreamReader) -> tuple[dict[str, Any], bytes] | None:
    """The next message; None at the end of the stream, also in the middle of a message. Raises FrameError."""
    try:
        head_size, blob_size = _LENGTHS.unpack(await reader.readexactly(_LENGTHS.size))
        if head_size + blob_size > MAX_FRAME_BYTES:
            raise FrameError(f"a message of {head_size + blob_size} bytes; something else wrote to the pipe")
        head = await reader.readexactly(head_size)
        blob = await reader.readexactly(blob_size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    try:
        return json.loads(head), blob
    except ValueError as error:
        raise FrameError(f"no message: {head[:80]!r}") from error


def encode_report(ticket: int, report: MatchReport) -> bytes:
    """A report as a message; `decode_report` is the inverse."""
    fields = asdict(report)
    del fields["replay"]
    return encode_frame({"event": "report", "ticket": ticket, **fields}, report.replay)


def decode_report(head: Mapping[str, Any], replay: bytes) -> MatchReport:
    """The report from a message."""
    result = head["result"]
    faults = (Fault(**{**fault, "cause": FaultCause(fault["cause"])}) for fault in result["faults"])
    lists = {name: tuple(result[name]) for name in ("ranks", "forfeits", "resigned")}
    checks = (LeakCheck(**{**check, "verdict": LeakVerdict(check["verdict"])}) for check in head["leak_checks"])
    fields = {name: value for name, value in head.items() if name not in ("event", "ticket")}
    fields["result"] = MatchResult(**{**result, **lists, "faults": tuple(faults)})
    return MatchReport(**{**fields, "leak_checks": tuple(checks)}, replay=replay)


def encode_lost(ticket: int, error: MatchLostError) -> bytes:
    """The host's fault as a message; `decode_lost` is the inverse."""
    fault = {"reason": str(error), "cause": error.cause, "evidence": error.evidence}
    is_last = isinstance(error, HostBrokenError)
    return encode_frame({"event": "lost", "ticket": ticket, **fault, "is_last": is_last})


def decode_lost(head: Mapping[str, Any]) -> MatchLostError:
    """The host's fault from a message; HostBrokenError if the worker ends with it."""
    kind = HostBrokenError if head["is_last"] else MatchLostError
    return kind(head["reason"], HostCause(head["cause"]), head["evidence"])
