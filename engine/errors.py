"""What the engine raises on purpose. These classes are never compiled: each is of two kinds at once.

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


class EngineError(Exception):
    """The root of everything this package raises on purpose."""


class IllegalActionError(EngineError, ValueError):
    """The action is not legal in this position."""


class GameOverError(EngineError, ValueError):
    """The game has ended; nobody may act."""


class NotationError(EngineError, ValueError):
    """The text is not the notation of any action."""


class OptionsError(EngineError, ValueError):
    """An unknown option, or a value the option does not take."""


class SeatsError(EngineError, ValueError):
    """The game is not played by that many seats."""


class PositionError(EngineError, ValueError):
    """The JSON does not describe a position of this game."""


class InvariantError(EngineError, AssertionError):
    """A position breaks what holds in all play: a bug of the rules, not of a bot."""


class AbilityError(EngineError, LookupError):
    """The game does not offer what was asked of it; the message says what it would have to give."""


class UnknownGameError(EngineError, LookupError):
    """No game of that name is installed."""
