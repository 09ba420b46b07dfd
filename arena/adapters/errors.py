"""What the adapters raise on purpose, for those who write programs with them: one line each, with the remedy."""

from __future__ import annotations


class AdapterError(ValueError):
    """An argument that an adapter does not take."""


class LibraryError(ImportError):
    """The package of an adapter is not installed, or is of a version that it does not know."""


class OpponentError(RuntimeError):
    """A bot in another seat could not play on, and the playing ends with that: `seat` tells which."""

    def __init__(self, seat: int, message: str) -> None:
        super().__init__(message)
        self.seat = seat


class TableError(RuntimeError):
    """The process that hosts the other seats failed. It is nobody's fault in the playing; `reset` begins anew."""
