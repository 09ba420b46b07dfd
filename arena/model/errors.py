"""What may be wrong with a question to an arena, here or there; every message is one line that ends with the remedy.

`ErrorKind` sorts the errors of the whole product, wherever they are defined: a class says its `kind` by the value, and
the `reason` that a service tells programs. A subclass that says neither is as its base is.

    ClientError             the arena cannot do it
    ├── RefusedError        what was asked for does not exist or cannot be
    │   ├── UnknownError    there is nothing of that name
    │   ├── ForbiddenError  whoever asks may not do it
    │   └── LocalOnlyError  it is done on the machine of the database only
    ├── HiddenError         it is shown later, when the matches with the same chance are over
    ├── DamagedError        what is stored of it was changed or cut off
    └── FellBehindError     a watcher took the events too slowly, and may go on from the last that it has

Errors of the book of record and of the tournaments pass through `arena.app` as they are. What a service answers is
turned into these by `arena.rpc.errors.error_of`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import ClassVar

from engine.translatable import Text, nearest


class ErrorKind(enum.StrEnum):
    """What sort of failure an error is: exit code, gRPC status and HTTP status follow from it."""

    MISUSE = "misuse"
    """What was asked for makes no sense, whatever the arena holds."""
    NOT_FOUND = "not_found"
    DENIED = "denied"
    """Whoever asks is known, and may not do it or see it."""
    UNAUTHENTICATED = "unauthenticated"
    """Nobody knows who asks: the token is worth nothing."""
    CONFLICT = "conflict"
    """It makes sense, and does not fit what the arena holds now."""
    FAILED = "failed"
    """It was asked rightly, and the arena cannot do it with what it has."""
    HIDDEN = "hidden"
    """It is there, and is shown later."""
    LIMIT = "limit"
    """A limit was reached; less, or later, is allowed."""
    FULL = "full"
    """There is no room left on a disk."""
    UNAVAILABLE = "unavailable"
    """Something that is needed for it does not work at this moment; the same again may succeed."""
    DAMAGED = "damaged"
    """What is stored, or has arrived, is not what it was."""
    ABORTED = "aborted"
    """It was under way and was broken off; it may be begun again, or gone on with."""
    INTERNAL = "internal"
    """A bug of the arena: so is every exception without a kind which nobody has caught."""


_KINDS = {kind.value: kind for kind in ErrorKind}


def kind_of(error: BaseException) -> ErrorKind:
    """Return what sort of failure an exception is, of whatever package it is."""
    return _KINDS.get(getattr(type(error), "kind", ""), ErrorKind.INTERNAL)


class ClientError(Exception):
    """The arena cannot do what was asked."""

    kind: ClassVar[str] = "failed"
    reason: ClassVar[str] = "FAILED"


class RefusedError(ClientError):
    """What was asked for does not exist or cannot be."""

    kind = "misuse"
    reason = "REFUSED"


class UnknownError(RefusedError, LookupError):
    """There is nothing of that name."""

    kind = "not_found"
    reason = "NOT_FOUND"


class ForbiddenError(RefusedError):
    """Whoever asks may not do it, or may not see it."""

    kind = "denied"
    reason = "FORBIDDEN"


class LocalOnlyError(RefusedError):
    """It is done on the machine of the database only."""


class HiddenError(ClientError):
    """It is shown later: matches that share its chance are not over."""

    kind = "hidden"
    reason = "HIDDEN"


class DamagedError(ClientError):
    """What is stored of it was changed or cut off."""

    kind = "damaged"
    reason = "DAMAGED"


class FellBehindError(ClientError):
    """A watcher took the events too slowly; `sequence` is the place of the last that it was sent, to go on after."""

    kind = "aborted"
    reason = "FELL_BEHIND"

    def __init__(self, sequence: int) -> None:
        super().__init__(Text("the watcher was too slow; watch again after {sequence}", sequence=sequence))
        self.sequence = sequence


def unknown(kind: str, text: str, known: Iterable[str], remedy: str) -> UnknownError:
    """Return the error for a name that does not exist: it tells the nearest name that does, and where to look."""
    return UnknownError(there_is_no(kind, text, known, remedy))


def there_is_no(kind: str, text: str, known: Iterable[str], remedy: str) -> str:
    """Return the sentence of such an error."""
    if (near := nearest(text, known, 0.5)) is not None:
        remedy = Text("did you mean {name}? {remedy}", name=repr(near), remedy=remedy)
    name = repr(text)
    match kind:
        case "bot":
            return Text("there is no bot {name}; {remedy}", name=name, remedy=remedy)
        case "tournament":
            return Text("there is no tournament {name}; {remedy}", name=name, remedy=remedy)
        case "game":
            return Text("there is no game {name}; {remedy}", name=name, remedy=remedy)
        case "login":
            return Text("there is no login {name}; {remedy}", name=name, remedy=remedy)
        case "cause of a fault":
            return Text("there is no cause of a fault {name}; {remedy}", name=name, remedy=remedy)
        case "rule":
            return Text("there is no rule {name}; {remedy}", name=name, remedy=remedy)
        case "runtime":
            return Text("there is no runtime {name}; {remedy}", name=name, remedy=remedy)
        case "sample":
            return Text("there is no sample {name}; {remedy}", name=name, remedy=remedy)
        case "tool":
            return Text("there is no tool {name}; {remedy}", name=name, remedy=remedy)
    return f"there is no {kind} {name}; {remedy}"
