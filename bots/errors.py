"""What the kit raises on purpose.

KitError
├── ProtocolError        the arena speaks another protocol, or a message came out of order
├── RulesVersionError    the installed engine has other rules than the arena's
├── AnswerError          `decide` returned something that is no answer
└── ArenaError           the arena could not be reached, or refused the bot

What a bot's own `decide` raises is not wrapped.
"""

from __future__ import annotations


class KitError(Exception):
    """The root of everything the kit raises on purpose."""


class ProtocolError(KitError):
    """The arena speaks another protocol, or a message came out of order."""


class RulesVersionError(KitError):
    """The installed engine has other rules than the arena's: what it searches would not be what is played."""


class AnswerError(KitError, TypeError):
    """`decide` returned neither an action id, nor a sequence of 1 to 64 of them, nor RESIGN."""


class ArenaError(KitError):
    """The arena could not be reached, or refused the bot."""
