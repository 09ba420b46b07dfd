"""Owners, what lets them in, and what they are notified of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope

PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0
"""The version of what owners and a service say to one another."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is asking, as the arena sees it."""

    scope: Scope
    owner: str | None
    token: str | None = None
    """The name of the token, or `None` for whoever is on the machine itself."""
    expires_at_us: int | None = None
    protocol_major: int = PROTOCOL_MAJOR
    protocol_minor: int = PROTOCOL_MINOR
    play_port: int = 0
    """Where remote bots connect, on the host of the owners' services; 0 where none are taken."""


@dataclass(frozen=True, slots=True)
class OwnerSummary:
    """An owner in a list."""

    name: str
    created_at_us: int
    disabled_at_us: int | None
    bots: int
    limits: Mapping[str, Any]
    """What differs from the limits that all owners have."""


@dataclass(frozen=True, slots=True)
class OwnerUsage:
    """What an owner has and may have."""

    owner: str
    limits: OwnerLimits
    """Those that count for him; 0 stands for no limit."""
    own: tuple[str, ...]
    """The names of those that differ from what all owners have."""
    bots: int
    versions: int
    stored_bytes: int
    """The files of all versions that are kept; in a service, with the uploads that are not finished."""
    uploads_last_hour: int | None = None
    """`None` where no service takes uploads."""
    note_bytes: int = 0
    """The notes of the bots in the replays that are kept."""


@dataclass(frozen=True, slots=True)
class TokenSummary:
    """A token without the token itself, which nobody is shown twice."""

    id: str
    owner: str | None
    name: str
    scope: Scope
    created_at_us: int
    expires_at_us: int | None
    revoked_at_us: int | None
    used_at_us: int | None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was made just now: the only time that it is shown."""

    token: str
    summary: TokenSummary


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation that was made just now: the only time that its code is shown."""

    code: str
    owner: str
    scope: Scope
    expires_at_us: int


@dataclass(frozen=True, slots=True)
class InvitationSummary:
    """An invitation without its code, which nobody is shown twice."""

    id: str
    owner: str
    scope: Scope
    created_at_us: int
    expires_at_us: int
    used_at_us: int | None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that one owner, or everybody, is told."""

    id: str
    at_us: int
    subject: str
    sentence: str
    for_everybody: bool
