"""Replays: matches as they were played, and whether what is stored of them is sound."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replay:
    """The replay of a match in its stored form, which `arena.match.replay.load` reads."""

    match_id: str
    data: bytes
    is_whole: bool = True
    """False if evidence about other owners' bots was taken out, so that its record digest does not fit any more."""


@dataclass(frozen=True, slots=True)
class ReplayCheck:
    """What is wrong with a stored match; nothing if it is sound, or if it is kept no longer."""

    match_id: str
    problems: tuple[str, ...] = ()
    removed_at_us: int | None = None
    """When retention removed the replay, so that there is nothing left to verify."""
