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
    return UnknownError(there_is_no(kind, text, known, remedy))


def there_is_no(kind: str, text: str, known: Iterable[str], remedy: str) -> str:
    """Return the sentence of such an error."""
    close = get_close_matches(text, known, n=1, cutoff=0.5)
    if close:
        remedy = Text("app.did_you_mean", "did you mean {name}? {remedy}", name=repr(close[0]), remedy=remedy)
    name = repr(text)
    match kind:
        case "bot":
            return Text("app.no_bot", "there is no bot {name}; {remedy}", name=name, remedy=remedy)
        case "tournament":
            return Text("app.no_tournament", "there is no tournament {name}; {remedy}", name=name, remedy=remedy)
        case "game":
            return Text("app.no_game", "there is no game {name}; {remedy}", name=name, remedy=remedy)
        case "login":
            return Text("app.no_login", "there is no login {name}; {remedy}", name=name, remedy=remedy)
        case "cause of a fault":
            return Text("app.no_cause_fault", "there is no cause of a fault {name}; {remedy}", name=name, remedy=remedy)
        case "rule":
            return Text("conform.no_rule", "there is no rule {name}; {remedy}", name=name, remedy=remedy)
        case "runtime":
            return Text("hosting.no_runtime", "there is no runtime {name}; {remedy}", name=name, remedy=remedy)
        case "sample":
            return Text("command.no_sample", "there is no sample {name}; {remedy}", name=name, remedy=remedy)
        case "tool":
            return Text("command.no_tool", "there is no tool {name}; {remedy}", name=name, remedy=remedy)
    return f"there is no {kind} {name}; {remedy}"
