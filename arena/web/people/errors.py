"""What a person may not do now; every message is one sentence with the remedy, and nothing has happened then.

PeopleError
├── FullError         all seats of this arena are taken
├── TooManyError      this visitor has as many seats, or opened as many tables, as he may
├── NoTableError      there is no such table, or it was cleared away
├── StaleError        the question was answered already, or another one is asked now
├── IllegalError      the action is not legal here
├── TakenOverError    another browser plays this table now
└── NotReachedError   the service cannot be reached
"""

from __future__ import annotations


class PeopleError(Exception):
    """A person may not do that now."""


class FullError(PeopleError):
    """All seats are taken."""


class TooManyError(PeopleError):
    """The visitor has as many seats, or opened as many tables, as he may."""


class NoTableError(PeopleError):
    """There is no such table, or not any more."""


class StaleError(PeopleError):
    """The question is not asked any more."""


class IllegalError(PeopleError):
    """The action is not legal here."""


class TakenOverError(PeopleError):
    """Another browser plays this table now."""


class NotReachedError(PeopleError):
    """The service cannot be reached, or refuses a guest."""
