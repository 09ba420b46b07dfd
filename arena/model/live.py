"""Matches while they are played: what happens in them, and what their bots write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.model.matches import FaultFact


@dataclass(frozen=True, slots=True)
class ChanceOutcome:
    """One outcome of chance, as the game writes it."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LiveStart:
    """A match begins."""

    match_id: str
    attempt: int
    game: str
    rules_version: str
    options: Mapping[str, Any]
    cores: int
    clock: Mapping[str, Any]
    opening: tuple[int, ...]
    """The actions before the first ply that a bot decides."""
    bots: tuple[str, ...]
    """Seat by seat."""
    started_at_us: int
    chance: tuple[ChanceOutcome, ...] = ()
    """What chance gave before the first ply."""


@dataclass(frozen=True, slots=True)
class LiveMove:
    """One ply was played."""

    ply: int
    seat: int
    bot: str
    action: int
    text: str
    """The action in the notation of the game."""
    by: str
    """Who chose it: the bot, or the arena in its place."""
    decide: int | None = None
    """At which ply the bot was asked."""
    elapsed_us: int | None = None
    charged_us: int | None = None
    note: str | None = None
    """What the bot noted; while the match goes on, only for its owner."""
    chance: tuple[ChanceOutcome, ...] = ()
    """What chance gave because of it."""


@dataclass(frozen=True, slots=True)
class LiveEnd:
    """A match is over."""

    ranks: tuple[int, ...] = ()
    """The rank of each seat; empty if there is no result."""
    by_rules: bool = False
    forfeits: tuple[int, ...] = ()
    """The seats that forfeited, in the order in which they did."""
    resigned: tuple[int, ...] = ()
    faults: tuple[FaultFact, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    lost: str = ""
    """Why there is no result, one sentence: the host failed, or the match was cancelled."""


@dataclass(frozen=True, slots=True)
class MatchEvent:
    """Something that happened in a match: its start, a move or its end; exactly one of the three is there."""

    sequence: int
    """0 is the start, 1 + ply a move, and the end follows the last move: the same however the match is watched."""
    start: LiveStart | None = None
    move: LiveMove | None = None
    end: LiveEnd | None = None


@dataclass(frozen=True, slots=True)
class LogPart:
    """A part of what the bot in a seat wrote to its output."""

    match_id: str
    seat: int
    bot: str
    start: int
    """The place of the first byte of `data` in all that it wrote."""
    data: bytes
    cut_bytes: int = 0
    """How many bytes right before `data` are lost."""

    @property
    def end(self) -> int:
        """Return the place behind the last byte: from there its log goes on."""
        return self.start + len(self.data)
