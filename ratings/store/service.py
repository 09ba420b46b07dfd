"""The tables of what a service keeps besides the matches: tokens, admissions, ladders, what owners are told.

They follow the rules of `ratings.store.models`: instants are UTC in integer microseconds, ids are UUIDv7 text,
enumerations are text, and of secrets only hashes are stored. Files of their own have what is needed without the others:
`bot_events.py`, `bot_runtimes.py`, `season.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, BigInteger, Index, LargeBinary, Text
from sqlmodel import Field

from ratings.store.models import Table, VersionRecord, text_of
from ratings.values.states import AdmissionState, RemovalKind, Scope


class TokenRecord(Table, table=True):
    """The right to use the service, of which only a hash is kept; without an owner it is an organiser's."""

    __table_args__ = (Index(None, "owner_id"),)

    id: str = Field(primary_key=True)
    owner_id: str | None = Field(default=None, foreign_key="owner.id")
    name: str
    scope: Scope = Field(sa_type=text_of(Scope))
    digest: str = Field(unique=True)
    """SHA-256 of the token, in hexadecimal digits; tokens are random, so no salt is needed."""
    created_at_us: int = Field(sa_type=BigInteger)
    expires_at_us: int | None = Field(default=None, sa_type=BigInteger)
    revoked_at_us: int | None = Field(default=None, sa_type=BigInteger)
    used_at_us: int | None = Field(default=None, sa_type=BigInteger)
    """When it was last used, to the minute."""


class InvitationRecord(Table, table=True):
    """A code that becomes an owner and a token, once."""

    id: str = Field(primary_key=True)
    owner_name: str
    scope: Scope = Field(sa_type=text_of(Scope))
    digest: str = Field(unique=True)
    """SHA-256 of the code, in hexadecimal digits."""
    created_at_us: int = Field(sa_type=BigInteger)
    expires_at_us: int = Field(sa_type=BigInteger)
    used_at_us: int | None = Field(default=None, sa_type=BigInteger)
    owner_id: str | None = Field(default=None, foreign_key="owner.id")
    """Who used it."""


class AdmissionRecord(Table, table=True):
    """The checks that a version must pass before it plays rated matches; a version may come up again."""

    __table_args__ = (Index(None, "state"), Index(None, "version_id"))

    id: str = Field(primary_key=True)
    version_id: str = Field(foreign_key="version.id")
    state: AdmissionState = Field(sa_type=text_of(AdmissionState))
    requested_at_us: int = Field(sa_type=BigInteger)
    started_at_us: int | None = Field(default=None, sa_type=BigInteger)
    ended_at_us: int | None = Field(default=None, sa_type=BigInteger)
    checks: list[dict[str, Any]] = Field(sa_type=JSON)
    """The findings so far, in the order of the checks."""
    summary: str | None = Field(default=None, sa_type=Text)
    summary_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """The verdict in one sentence for the author."""


@dataclass(frozen=True, slots=True)
class AdmissionRow:
    """An admission, and what is to be admitted."""

    admission: AdmissionRecord
    version: VersionRecord
    bot: str
    owner: str | None


class LadderRecord(Table, table=True):
    """A pool in which the service plays on and on, in seasons."""

    id: str = Field(primary_key=True)
    name: str = Field(index=True)
    """No two open ladders have the same; that of a closed one may be used again."""
    pool_id: str = Field(foreign_key="pool.id", index=True)
    settings: dict[str, Any] = Field(sa_type=JSON)
    opened_at_us: int = Field(sa_type=BigInteger)
    closed_at_us: int | None = Field(default=None, sa_type=BigInteger)
    closed_because: str | None = Field(default=None, sa_type=Text)
    closed_because_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class GuestRecord(Table, table=True):
    """A hosted bot that was entered in a ladder of remote bots, which no hosted bot enters by itself."""

    ladder_id: str = Field(primary_key=True, foreign_key="ladder.id")
    bot_id: str = Field(primary_key=True, foreign_key="bot.id")


class NoticeRecord(Table, table=True):
    """Something that owners are told; without an owner it is for everybody."""

    __table_args__ = (Index(None, "owner_id"),)

    id: str = Field(primary_key=True)
    owner_id: str | None = Field(default=None, foreign_key="owner.id")
    at_us: int = Field(sa_type=BigInteger)
    subject: str
    sentence: str = Field(sa_type=Text)
    sentence_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class SeatLogRecord(Table, table=True):
    """What the bot in a seat wrote to its output during a match; no fact: it may be removed by age and size."""

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    seat: int = Field(primary_key=True)
    data: bytes = Field(sa_type=LargeBinary)
    """Compressed with zlib."""
    cut_bytes: int = 0
    """How many bytes were left out, at the beginning or in the middle."""


class RemovalRecord(Table, table=True):
    """Something that is removed by age or size: told first, done when it is due, and kept as a fact then."""

    id: str = Field(primary_key=True)
    kind: RemovalKind = Field(sa_type=text_of(RemovalKind))
    before_us: int = Field(sa_type=BigInteger)
    """What ended before this instant is removed, unless something still needs it."""
    why: str = Field(sa_type=Text)
    why_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    announced_at_us: int = Field(sa_type=BigInteger)
    due_at_us: int = Field(sa_type=BigInteger)
    done_at_us: int | None = Field(default=None, sa_type=BigInteger)
    items: int = 0
    """How many were removed so far."""


class AbsenceRecord(Table, table=True):
    """An active version that cannot be started here at present: ladders go on without it until it can."""

    version_id: str = Field(primary_key=True, foreign_key="version.id")
    why: str = Field(sa_type=Text)
    why_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    since_us: int = Field(sa_type=BigInteger)
