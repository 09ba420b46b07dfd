"""The messages in which a process that plays matches tells the coordinator what becomes of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from arena.hosting.frames import encode_frame
from arena.match.live import LiveEvent, live_json
from arena.match.report import MatchReport
from arena.match.result import HostCause, MatchLostError
from engine.text import Text


def encode_report(ticket: int, report: MatchReport) -> bytes:
    """Return the message that a match is over."""
    return encode_frame({"event": "report", "ticket": ticket, "report": report.to_json()}, report.blob())


def encode_live(ticket: int, events: Sequence[LiveEvent]) -> bytes:
    """Return the messages about what has happened in a match that is watched."""
    frames = []
    for event in events:
        live, blob = live_json(event)
        frames.append(encode_frame({"event": "live", "ticket": ticket, "live": live}, blob))
    return b"".join(frames)


def encode_lost(ticket: int, error: MatchLostError) -> bytes:
    """Return the message that a match has no result."""
    return encode_frame({"event": "lost", "ticket": ticket, "error": error.to_json()})


def encode_cancelled(ticket: int) -> bytes:
    """Return the message that a match was ended because the coordinator wanted that."""
    return encode_lost(ticket, MatchLostError(Text("executor.cancelled", "cancelled"), HostCause.CANCELLED))
