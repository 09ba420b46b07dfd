"""Tournaments: who plays one, what its bots and its hosts did wrong, and what the organiser annulled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that holds a lock, such as the one that plays a tournament now."""

    host: str
    """The name of its machine."""
    pid: int | None
    """`None` if it may not be known, or for the instant in which the lock is just being taken."""
    since_us: int
    """When it began; microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class HostLoss:
    """What a tournament lost by one cause on the side of the host; most of it was played again."""

    cause: str
    attempts: int
    matches: int
    """How many different matches they were of."""
    bot: str | None = None
    """The bot whose matches they were, if nearly all were those of one, which is more than chance."""
    version: int | None = None
    """The number of its version."""
    sat_in: int = 0
    """In how many of these matches it sat."""


@dataclass(frozen=True, slots=True)
class BotFaults:
    """What a bot did wrong in a tournament, by one cause."""

    bot: str
    version: int
    """The number of its version."""
    cause: str
    matches: int
    """In how many matches it did so."""
    match_id: str
    """One of them: the one that was planned last."""


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
