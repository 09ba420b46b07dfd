"""What a person may not do now; every message is one sentence with the remedy, and nothing has happened then.

PeopleError
├── AllSeatsTakenError      all seats of this arena are taken
├── TooManyError            this visitor may not have another table
│   ├── TooManySeatsError   he has as many seats as he may
│   ├── TooManyTablesError  his address opened as many tables as it may
│   └── RatedError          people play unrated matches here
├── NoTableError            there is no such table, or it was cleared away
├── StaleError              the question was answered already, or another one is asked now
├── IllegalError            the action is not legal here
├── TakenOverError          another browser plays this seat now
├── SeatTakenError          somebody else came by the invitation
├── NotOfferedError         a bot that was asked for cannot play here now
├── ServiceRefusedError     the service does not take the order
└── NotReachedError         the service does not open a seat in time
    └── SeatRefusedError    it says why it opens none
"""

from __future__ import annotations

from typing import ClassVar


class PeopleError(Exception):
    """A person may not do that now. `key` and `values` say it in the catalogue of words."""

    key: ClassVar[str] = ""

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message)
        self.values = values


class AllSeatsTakenError(PeopleError):
    """All seats are taken."""

    key = "play.error_full"


class TooManyError(PeopleError):
    """The visitor may not have another table."""


class TooManySeatsError(TooManyError):
    """The visitor has as many seats as he may."""

    key = "play.error_held"


class TooManyTablesError(TooManyError):
    """The address of the visitor opened as many tables as it may."""

    key = "play.error_hour"


class RatedError(TooManyError):
    """People play unrated matches here."""

    key = "play.error_rated"


class NoTableError(PeopleError):
    """There is no such table, or not any more."""

    key = "play.error_no_table"


class StaleError(PeopleError):
    """The question is not asked any more."""

    key = "play.error_stale"


class IllegalError(PeopleError):
    """The action is not legal here."""

    key = "play.error_illegal"


class TakenOverError(PeopleError):
    """Another browser plays this table now."""

    key = "play.error_taken_over"


class NotReachedError(PeopleError):
    """The service cannot be reached, or does not open a seat in time."""

    key = "play.error_not_reached"


class SeatRefusedError(NotReachedError):
    """The service says why it opens no seat."""

    key = "play.error_kept_out"


class SeatTakenError(PeopleError):
    """Somebody else came by the invitation, or the table is over."""

    key = "play.error_seat_taken"


class NotOfferedError(PeopleError):
    """A bot that was asked for cannot play here now."""

    key = "play.error_not_offered"


class ServiceRefusedError(PeopleError):
    """The service does not take the order."""

    key = "play.error_refused"
