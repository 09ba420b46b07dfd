"""Bots and their versions."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.values.states import AdmissionState


@dataclass(frozen=True, slots=True)
class RecentVersion:
    """A version that was added lately, and whether it was let in."""

    bot: str
    number: int
    created_at_us: int
    remote: bool
    """Whether its author runs it elsewhere; such a bot needs no admission."""
    is_gone: bool
    """Whether it was withdrawn, or its bot barred."""
    plays: bool
    """Whether it is the version that plays on ladders, or a bot of the organiser, which needs no admission."""
    admission: AdmissionState | None
    """How far its last admission is; `None` if none was asked for."""
