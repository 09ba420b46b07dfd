"""Everything this package raises on purpose.

    RatingsError
    ├── DatabaseError
    │   ├── NotADatabaseError       the file is something else, or damaged
    │   ├── SchemaVersionError      made by another version of the arena
    │   ├── UnfinishedCopyError     a copy into it was cut off; only copying goes on with it
    │   ├── DatabaseFullError       the disk, or the database's own limit; the transaction was undone
    │   ├── DatabaseBusyError       another process held the lock for too long; the transaction was undone
    │   ├── DatabaseLostError       the server does not answer, or cut the connection; it may answer again
    │   ├── DatabaseAccessError     it cannot be opened or written: directory, permission, driver, disk
    │   │   ├── EmptyDatabaseError  it has no tables, and who only looks makes none
    │   │   └── DatabaseGoneError   its file was taken away, or replaced by another, while it was open
    │   ├── BackupError             the copy was not made
    │   └── CopyError               the other database holds something else, or does not agree in the end
    ├── NotFoundError               no such bot, version, pool, tournament or match
    ├── AmbiguousError              the text names several
    ├── BotError                    a bot that cannot be added or entered as asked
    │   └── BotKindError            a hosted bot that is to be remote, or the other way round
    ├── PlanError                   a tournament that cannot be played as planned
    ├── NotUnicodeError             a text with half of a surrogate pair, such as a byte that is not UTF-8
    ├── PageError                   a cursor that is not one of the list, or no number of rows
    ├── FactError                   a result that does not fit its match
    ├── AccountError                an owner, token or invitation that cannot be made or changed as asked
    │   └── InvitationError         a code that is unknown, used or expired
    ├── AccessDeniedError           a token that is unknown, revoked or expired, or whose owner is disabled
    ├── LimitError                  a limit of an owner is reached
    ├── AdmissionError              an admission that cannot be asked for as asked
    ├── LadderError                 a ladder or season that cannot be opened, frozen or closed as asked
    └── ArchiveError                a file that is no exported tournament, was changed, or does not fit this database

The statistics, which know nothing of a database, have a tree of their own: `ratings.statistics.errors`. Every message
is one line and ends with the remedy where there is one.
"""

from typing import ClassVar


class RatingsError(Exception):
    """The root of everything this package raises on purpose."""

    kind: ClassVar[str] = "failed"
    """What sort of failure it is: a value of `ErrorKind` of the arena, from which exit codes and statuses follow."""
    reason: ClassVar[str] = ""
    """What a service calls it in its answers, which never changes; empty where it tells no client of it."""


class DatabaseError(RatingsError):
    """The database cannot serve."""

    kind = "unavailable"


class NotADatabaseError(DatabaseError):
    """The file holds something else than a database of the arena, or is damaged."""


class SchemaVersionError(DatabaseError):
    """The database was made by another version of the arena."""


class UnfinishedCopyError(DatabaseError):
    """The database has only a part of what is to be copied into it."""


class DatabaseFullError(DatabaseError):
    """There is no room left; nothing of the transaction was written."""

    kind = "full"
    reason = "DISK_FULL"


class DatabaseBusyError(DatabaseError):
    """Another process is writing; nothing of the transaction was written."""

    reason = "DATABASE_BUSY"


class DatabaseLostError(DatabaseError):
    """The server does not answer, or cut the connection; nothing was half-written, and it may answer again."""

    reason = "DATABASE_LOST"


class DatabaseAccessError(DatabaseError):
    """The database cannot be opened, read or written."""


class EmptyDatabaseError(DatabaseAccessError):
    """The database has no tables yet, and is not to get any."""


class DatabaseGoneError(DatabaseAccessError):
    """The file was taken away, or another one lies in its place; what was open is not what would be found there."""


class BackupError(DatabaseError):
    """The backup was not made."""


class CopyError(DatabaseError):
    """The other database holds something else, or does not agree in the end."""


class NotFoundError(RatingsError, LookupError):
    """There is no bot, version, pool, tournament or match of that name."""

    kind = "not_found"
    reason = "NOT_FOUND"


class AmbiguousError(RatingsError, LookupError):
    """The text names several things, and only one was asked for."""

    kind = "misuse"
    reason = "AMBIGUOUS"


class BotError(RatingsError, ValueError):
    """The bot cannot be added or entered as asked."""

    kind = "conflict"
    reason = "BOT"


class BotKindError(BotError):
    """A hosted bot is to be remote, or the other way round: a bot stays what it was made as."""


class PlanError(RatingsError, ValueError):
    """The tournament cannot be played as planned."""

    kind = "conflict"
    reason = "PLAN"


class NotUnicodeError(RatingsError, ValueError):
    """The text has half of a surrogate pair, which no database can hold."""

    kind = "misuse"


class PageError(RatingsError, ValueError):
    """The cursor is not one of the list, or the number of rows is none."""

    kind = "misuse"
    reason = "PAGE"


class FactError(RatingsError, ValueError):
    """The result does not fit its match."""


class AccountError(RatingsError, ValueError):
    """The owner, token or invitation cannot be made or changed as asked."""

    kind = "misuse"
    reason = "ACCOUNT"


class InvitationError(AccountError):
    """The invitation code is unknown, used or expired."""

    kind = "denied"
    reason = "INVITATION"


class AccessDeniedError(RatingsError):
    """The token is unknown, revoked or expired, or its owner is disabled."""

    kind = "unauthenticated"
    reason = "TOKEN"


class LimitError(RatingsError):
    """A limit of an owner is reached."""

    kind = "limit"
    reason = "LIMIT"


class AdmissionError(RatingsError, ValueError):
    """The admission cannot be asked for as asked."""

    kind = "conflict"
    reason = "ADMISSION"


class LadderError(RatingsError, ValueError):
    """The ladder or season cannot be opened, frozen or closed as asked."""

    kind = "conflict"
    reason = "LADDER"


class ArchiveError(RatingsError, ValueError):
    """The file cannot be imported, or the tournament cannot be exported."""
