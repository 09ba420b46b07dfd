"""What the organiser took out of the count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Annulment:
    """That a match with its block, or everything that a version played, does not count."""

    id: str
    match: str | None
    """The match that was named, or `None` if a version was."""
    version: str | None
    why: str
    actor: str
    at_us: int


@dataclass(frozen=True, slots=True)
class Annulled:
    """What an annulment came to."""

    annulment: Annulment
    matches: int
    """How many matches it took out of the count: those of whole blocks; 0 if they were annulled already."""
    pools: tuple[str, ...]
    """The pools whose ratings are computed anew for that, by id."""
