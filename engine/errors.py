"""What the engine raises on purpose. These classes are never compiled: each has two bases at once.

EngineError
├── IllegalActionError    an action that the position does not allow; the state is untouched
├── GameOverError         an action after the end
├── NotationError         a text that names no action
├── OptionsError          unknown option, or a value it does not take
├── SeatsError            a number of seats the game does not have
├── PositionError         JSON that describes no position of this game
├── InvariantError        a position that no play can come to: a bug of the rules
├── AbilityError          something that this game does not offer: an evaluation, a picture
└── UnknownGameError      no such game is installed
"""

from __future__ import annotations

from typing import ClassVar


class EngineError(Exception):
    """The root of everything this package raises on purpose."""

    kind: ClassVar[str] = "failed"
    """What sort of failure it is: a value of `ErrorKind` of the arena, from which exit codes and statuses follow."""
    reason: ClassVar[str] = ""
    """What a service calls it in its answers, which never changes; empty where it tells no client of it."""


class IllegalActionError(EngineError, ValueError):
    """The action is not legal in this position."""


class GameOverError(EngineError, ValueError):
    """The game has ended; nobody may act."""


class NotationError(EngineError, ValueError):
    """The text is not the notation of any action."""

    kind = "misuse"
    reason = "NOTATION"


class OptionsError(EngineError, ValueError):
    """An unknown option, or a value the option does not take."""

    kind = "misuse"
    reason = "OPTIONS"


class SeatsError(EngineError, ValueError):
    """The game is not played by that many seats."""

    kind = "misuse"
    reason = "SEATS"


class PositionError(EngineError, ValueError):
    """The JSON does not describe a position of this game."""


class InvariantError(EngineError, AssertionError):
    """A position breaks what holds in all play: a bug of the rules, not of a bot."""

    kind = "internal"


class AbilityError(EngineError, LookupError):
    """The game does not offer what was asked of it; the message says what it would have to give."""

    kind = "misuse"
    reason = "ABILITY"


class UnknownGameError(EngineError, LookupError):
    """No game of that name is installed."""

    kind = "not_found"
    reason = "GAME_UNKNOWN"
