"""What processor time is spent on, and which module of a program stands for which part. No I/O.

A stack is judged from its innermost frame outwards. The first module that a table names decides; what no table names,
such as the standard library, works for whoever called it. So does the engine: below the encoder its work is encoding,
which holds for a compiled engine, too, of which no stack shows a frame.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import FrameType


class Part(enum.StrEnum):
    """What processor time is spent on."""

    ENGINE = "engine"
    """The rules: the engine, and the match that plays by it."""
    ENCODING = "encoding"
    """Positions written into messages, and answers read from them."""
    GRPC = "grpc"
    """Carrying messages: gRPC with its threads, the event loop, and the streams on them."""
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
    """The processes of the bots, with the other end of gRPC."""
    OTHER = "other"
    """What a worker computed and no table explains."""


Rooms = Mapping[str, Part]
"""The part of each module and of those below it; the longest name that fits decides."""

WORKER_ROOMS: Rooms = {
    "engine": Part.ENGINE,
    "arena.match": Part.ENGINE,
    "arena.match.replay": Part.RECORDING,
    "arena.match.report": Part.RECORDING,
    "arena.match.digests": Part.RECORDING,
    "arena.match.live": Part.RECORDING,
    "arena.match.retrial": Part.RECORDING,
    "arena.wire": Part.ENCODING,
    "arena.wire.completion_queue": Part.GRPC,
    "arena.v1": Part.ENCODING,
    "arena.games": Part.ENCODING,
    "google.protobuf": Part.ENCODING,
    "grpc": Part.GRPC,
    "asyncio": Part.GRPC,
    "arena.referee": Part.REFEREE,
    "arena.referee.aio_server": Part.GRPC,
    "arena.referee.context": Part.GRPC,
    "arena.referee.health": Part.GRPC,
    "arena.referee.inbox": Part.GRPC,
    "arena.referee.passed_stream": Part.GRPC,
    "arena.referee.queue": Part.GRPC,
    "arena.referee.seat_stream": Part.GRPC,
    "arena.referee.server": Part.GRPC,
    "arena.referee.stream": Part.GRPC,
    "arena.referee.meter": Part.METER,
    "arena.referee.neighbours": Part.METER,
    "arena.referee.pondering": Part.METER,
    "arena.referee.stopwatch": Part.METER,
    "arena.worker": Part.REFEREE,
    "arena.worker.accounts": Part.RECORDING,
    "arena.worker.events": Part.RECORDING,
    "arena.worker.leaks": Part.RECORDING,
    "arena.worker.reporting": Part.RECORDING,
    "arena.worker.door": Part.GRPC,
    "arena.worker.door_apart": Part.GRPC,
    "arena.worker.flood_watch": Part.METER,
    "arena.worker.meters": Part.METER,
    "arena.worker.night_watch": Part.METER,
    "arena.worker.own_limits": Part.METER,
    "arena.worker.room": Part.METER,
    "arena.hosting": Part.REFEREE,
    "arena.hosting.frames": Part.RECORDING,
    "arena.hosting.groups": Part.METER,
    "arena.hosting.proc": Part.METER,
}
COORDINATOR_ROOMS: Rooms = {
    "arena": Part.COORDINATOR,
    "arena.match.report": Part.RECORDING,
    "asyncio": Part.COORDINATOR,
    "ratings": Part.RECORDING,
    "sqlalchemy": Part.RECORDING,
    "sqlmodel": Part.RECORDING,
}
_WORKS_FOR_ITS_CALLER = (Part.ENCODING, Part.RECORDING)


class Judge:
    """Tells which part a stack belongs to."""

    def __init__(self, rooms: Rooms, unknown: Part) -> None:
        """`unknown` is the part of a stack in which no module is named."""
        self._rooms = rooms
        self._unknown = unknown
        self._known: dict[str, Part | None] = {}

    def part_of(self, frame: FrameType | None) -> Part:
        """Return the part of a stack, given its innermost frame."""
        is_rules = False
        while frame is not None:
            part = self._part_of_module(frame.f_globals.get("__name__", ""))
            if part is Part.ENGINE:
                is_rules = True
            elif part is not None:
                return Part.ENGINE if is_rules and part not in _WORKS_FOR_ITS_CALLER else part
            frame = frame.f_back
        return Part.ENGINE if is_rules else self._unknown

    def _part_of_module(self, module: str) -> Part | None:
        if module not in self._known:
            self._known[module] = self._find(module)
        return self._known[module]

    def _find(self, module: str) -> Part | None:
        name = module
        while name and name not in self._rooms:
            name = name.rpartition(".")[0]
        return self._rooms[name] if name else None
