"""What may be wrong with a question to an arena, here or there; every message is one line that ends with the remedy.

    ClientError             the arena cannot do it
    ├── RefusedError        what was asked for does not exist or cannot be
    │   ├── UnknownError    there is nothing of that name
    │   ├── ForbiddenError  whoever asks may not do it
    │   └── LocalOnlyError  it is done on the machine of the database only
    ├── HiddenError         it is shown later, when the matches with the same chance are over
    ├── DamagedError        what is stored of it was changed or cut off
    └── FellBehindError     a watcher took the events too slowly, and may go on from the last that it has

Errors of the book of record and of the tournaments pass through the adapter `here`; the adapter `there` turns what a
service answers into these.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from engine.text import Text


class ClientError(Exception):
    """The arena cannot do what was asked."""


class RefusedError(ClientError):
    """What was asked for does not exist or cannot be."""


class UnknownError(RefusedError, LookupError):
    """There is nothing of that name."""


class ForbiddenError(RefusedError):
    """Whoever asks may not do it, or may not see it."""


class LocalOnlyError(RefusedError):
    """It is done on the machine of the database only."""


class HiddenError(ClientError):
    """It is shown later: matches that share its chance are not over."""


class DamagedError(ClientError):
    """What is stored of it was changed or cut off."""


class FellBehindError(ClientError):
    """A watcher took the events too slowly; `sequence` is the place of the last that it was sent, to go on after."""

    def __init__(self, sequence: int) -> None:
        super().__init__(
            Text(
                "model.watcher_too_slow_watch_again",
                "the watcher was too slow; watch again after {sequence}",
                sequence=sequence,
            )
        )
        self.sequence = sequence


def unknown(kind: str, text: str, known: Iterable[str], remedy: str) -> UnknownError:
    """Return the error for a name that does not exist: it tells the nearest name that does, and where to look."""
    close = get_close_matches(text, known, n=1, cutoff=0.5)
    guess = f" did you mean {close[0]!r}?" if close else ""
    return UnknownError(f"there is no {kind} {text!r};{guess} {remedy}")
