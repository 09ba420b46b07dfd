"""Who was paired with whom in a tournament that goes by rounds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paired:
    """An entrant of a pairing."""

    version_id: str
    bot: str
    """What people call it."""
    points: int
    """What it has from the whole blocks of this pairing: 2 for everybody whom it beat in a match, 1 for every tie."""
    lost: int
    """How many ties of a knockout it had lost before this one."""
    goes_on: bool | None
    """Whether it is ahead in the end, or in a knockout may play on; `None` while that is open."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Those who meet in a round; a single one has a bye."""

    round: int
    """Counts from 1."""
    entrants: tuple[Paired, ...]
    """In a knockout the best seed first."""
    blocks: int
    """How many whole blocks they have played."""
    is_over: bool
