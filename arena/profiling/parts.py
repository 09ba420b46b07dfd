"""What processor time is spent on, and which module of a program stands for which part. No I/O.

A stack is judged from its innermost frame outwards. The first module that a table names decides; what no table names,
such as the standard library, works for whoever called it. So does the engine: below the encoder its work is encoding,
which holds for a compiled engine, too, of which no stack shows a frame.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import FrameType


class ProfilePart(enum.StrEnum):
    """What processor time is spent on."""

    ENGINE = "engine"
    """The rules: the engine, and the match that plays by it."""
    ENCODING = "encoding"
    """Positions written into messages, and answers read from them."""
    TRANSPORT = "transport"
    """Carrying messages: the event loop, the streams on it, and gRPC with its threads where a bot uses it."""
    METER = "meter"
    """Measuring what bots use, and looking after them while nobody asks them."""
    REFEREE = "referee"
    """The rest of the worker's own code: it judges, wakes, seats and releases bots."""
    RECORDING = "recording"
    """Replays and reports, the book of record, ratings."""
    COORDINATOR = "coordinator"
    """The rest of the coordinator: it hands matches out and waits for them."""
    LAUNCHER = "launcher"
    """The process that starts bots and watches them."""
    BOT = "bot"
    """The processes of the bots, with their end of the streams."""
    OTHER = "other"
    """What a worker computed and no table explains."""


ModuleParts = Mapping[str, ProfilePart]
"""The part of each module and of those below it; the longest name that fits decides."""

WORKER_PARTS: ModuleParts = {
    "engine": ProfilePart.ENGINE,
    "arena.match": ProfilePart.ENGINE,
    "arena.match.replay": ProfilePart.RECORDING,
    "arena.match.worker_report": ProfilePart.RECORDING,
    "arena.match.live": ProfilePart.RECORDING,
    "arena.match.leak_check": ProfilePart.RECORDING,
    "arena.wire": ProfilePart.ENCODING,
    "arena.wire.completion_queue_check": ProfilePart.TRANSPORT,
    "arena.v1": ProfilePart.ENCODING,
    "arena.games": ProfilePart.ENCODING,
    "google.protobuf": ProfilePart.ENCODING,
    "grpc": ProfilePart.TRANSPORT,
    "asyncio": ProfilePart.TRANSPORT,
    "arena.referee": ProfilePart.REFEREE,
    "arena.referee.call_context": ProfilePart.TRANSPORT,
    "arena.referee.call_stream": ProfilePart.TRANSPORT,
    "arena.referee.descriptor_stream": ProfilePart.TRANSPORT,
    "arena.referee.forwarded_stream": ProfilePart.TRANSPORT,
    "arena.referee.framing": ProfilePart.TRANSPORT,
    "arena.referee.queue": ProfilePart.TRANSPORT,
    "arena.referee.server": ProfilePart.TRANSPORT,
    "arena.referee.stream": ProfilePart.TRANSPORT,
    "arena.referee.measuring": ProfilePart.METER,
    "arena.worker": ProfilePart.REFEREE,
    "arena.worker.state_leaks": ProfilePart.RECORDING,
    "arena.worker.reporting": ProfilePart.RECORDING,
    "arena.worker.bot_listener": ProfilePart.TRANSPORT,
    "arena.worker.proxied_listener": ProfilePart.TRANSPORT,
    "arena.worker.freezer": ProfilePart.METER,
    "arena.worker.own_limits": ProfilePart.METER,
    "arena.worker.process_setup": ProfilePart.METER,
    "arena.hosting": ProfilePart.REFEREE,
    "arena.hosting.framed_pipe": ProfilePart.RECORDING,
    "arena.hosting.cgroups": ProfilePart.METER,
    "arena.hosting.procfs": ProfilePart.METER,
}
COORDINATOR_PARTS: ModuleParts = {
    "arena": ProfilePart.COORDINATOR,
    "arena.match.worker_report": ProfilePart.RECORDING,
    "asyncio": ProfilePart.COORDINATOR,
    "ratings": ProfilePart.RECORDING,
    "sqlalchemy": ProfilePart.RECORDING,
    "sqlmodel": ProfilePart.RECORDING,
}
_WORKS_FOR_ITS_CALLER = (ProfilePart.ENCODING, ProfilePart.RECORDING)


class StackClassifier:
    """Tells which part a stack belongs to."""

    def __init__(self, parts: ModuleParts, unknown: ProfilePart) -> None:
        """`unknown` is the part of a stack in which no module is named."""
        self._parts = parts
        self._unknown = unknown
        self._known: dict[str, ProfilePart | None] = {}

    def part_of(self, frame: FrameType | None) -> ProfilePart:
        """Return the part of a stack, given its innermost frame."""
        is_rules = False
        while frame is not None:
            module = frame.f_globals.get("__name__", "")
            if module not in self._known:
                name = module
                while name and name not in self._parts:
                    name = name.rpartition(".")[0]
                self._known[module] = self._parts[name] if name else None
            part = self._known[module]
            if part is ProfilePart.ENGINE:
                is_rules = True
            elif part is not None:
                return ProfilePart.ENGINE if is_rules and part not in _WORKS_FOR_ITS_CALLER else part
            frame = frame.f_back
        return ProfilePart.ENGINE if is_rules else self._unknown
