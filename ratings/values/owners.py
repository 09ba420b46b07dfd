"""Owners: the names that stand for people and for the arena, how bots are called, and what one owner may do. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

OPERATOR = "operator"
"""Who did something, if it was the person at the arena's own terminal."""
ARENA = "arena"
"""Who did something, if the service did it by itself."""
PEOPLE = "people"
"""The owner of the seats that people take in a browser; no ladder takes them in."""
EVERY_BOT = "all"
"""What no bot is called."""
MOST = 10**9
_MEGABYTE = 1 << 20


def stored_bot_name(owner: str | None, name: str) -> str:
    """Return what a bot is called by everybody: `owner/name`, or the plain name of a bot without owner."""
    return name if owner is None else f"{owner}/{name}"


@dataclass(frozen=True, slots=True)
class OwnerLimits:
    """What one owner may do; 0 stands for no limit."""

    uploads_per_hour: int = 20
    versions: int = 200
    """All bots together, those that were withdrawn or refused, too."""
    archive_mb: int = 64
    """Of one archive, before any compression for its way."""
    stored_mb: int = 2048
    """Of the files of all versions that are kept, and of the uploads that are not finished."""
    concurrent_matches: int = 0
    """Matches with a bot of the owner that are played at the same time."""
    notes_mb: int = 256
    """Of the notes of the owner's bots in the replays that are kept; above that, notes are left out of new ones."""

    @property
    def archive_bytes(self) -> int:
        """Return `archive_mb` in bytes."""
        return self.archive_mb * _MEGABYTE

    @property
    def stored_bytes(self) -> int:
        """Return `stored_mb` in bytes."""
        return self.stored_mb * _MEGABYTE

    @property
    def note_bytes(self) -> int:
        """Return `notes_mb` in bytes."""
        return self.notes_mb * _MEGABYTE

    def with_own(self, own: Mapping[str, Any] | None) -> OwnerLimits:
        """Return the limits of an owner, for whom `own` differs; names that are unknown here are left out."""
        return replace(self, **{name: value for name, value in (own or {}).items() if name in LIMITS})


OWNER_LIMITS = OwnerLimits()
"""What owners may do where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class ChallengeLimits:
    """What challenges may be, whoever makes them; 0 stands for no limit."""

    open_challenges: int = 3
    """How many of one owner may be open at once; the organiser's are not counted."""
    challenge_matches: int = 200
    """How many matches one may have: whoever is challenged has not asked for it."""


LIMITS = tuple(field.name for field in fields(OwnerLimits))
"""The names of all limits."""
