"""A running bot process as a worker holds it, and the key that tells which are interchangeable. Values."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.hosting.launcher.client import HostedProcess
from arena.hosting.launcher.messages import BEGINNING, OutputMark
from arena.match.spec import SeatSpec
from arena.match.worker_report import HostNote
from arena.referee.stream import BotStream
from arena.wire.messages import EVERY_GAME
from arena.worker.bot_listener import BotListener


@dataclass(frozen=True, slots=True)
class BotKey:
    """What makes two processes interchangeable."""

    version: str
    directory: str
    command: tuple[str, ...]
    memory_mb: int
    sandbox: str
    runtime: str

    @classmethod
    def of(cls, seat: SeatSpec) -> BotKey:
        """Return the key of the processes that can play a seat."""
        return cls(seat.version, seat.directory, seat.command, seat.memory_mb, seat.sandbox, seat.runtime)


@dataclass(eq=False, slots=True)
class WarmBot:
    """A running bot process that has joined and can be seated in its next match."""

    key: BotKey
    process: HostedProcess
    listener: BotListener
    stream: BotStream
    games: Sequence[str]
    has_played: bool = False
    blocks: set[str] = field(default_factory=set)
    """The blocks whose chance it has met."""
    mark: OutputMark = BEGINNING
    """The position in its output at which its current match begins."""
    started_s: float = field(default_factory=time.monotonic)
    """The instant of the monotonic clock from which on it may have lacked room for a thread: its start."""
    resident_bytes: int = 0
    """The memory of its whole tree at the end of its last match."""
    note: HostNote | None = None
    """What is to be told of its start in the match for which it was started."""

    @property
    def is_usable(self) -> bool:
        """Whether it can be given another match."""
        return not self.stream.spoiled and not self.process.exited.done()

    @property
    def speaks_lines(self) -> bool:
        """Whether it reads and writes lines of JSON."""
        return self.stream.framing.join is not None

    def plays(self, game: str) -> bool:
        """Return whether it joined for that game."""
        return game in self.games or EVERY_GAME in self.games


def take_note(seated: Sequence[object]) -> HostNote | None:
    """Return what is to be told of the starts for a match, once; None if all was as it should be."""
    late = [one for one in seated if isinstance(one, WarmBot) and one.note is not None]
    notes = [one.note for one in late if one.note is not None]
    for one in late:
        one.note = None
    starts: list[Any] = [note.evidence for note in notes]
    return HostNote(notes[0].sentence, {"starts": starts}) if notes else None
