"""What a level of the sandbox offers so that its bots can be frozen as a whole."""

from __future__ import annotations

from typing import Protocol


class FreezeError(Exception):
    """The bot could not be frozen or thawed; `is_own` tells whether it saw to that. The message is a sentence."""

    def __init__(self, sentence: str, *, is_own: bool = False) -> None:
        super().__init__(sentence)
        self.is_own = is_own


class ProcessFreezer(Protocol):
    """Stops all that one bot runs, at one moment, and lets it go on."""

    is_whole: bool
    """Whether nothing of a bot can escape it, so that whatever computes while frozen has found a way to thaw itself."""

    def freeze(self) -> None:
        """Return when nothing of the bot can compute any more; nothing happens if it has ended. Raises FreezeError."""

    def thaw(self) -> None:
        """Let all of it go on. Raises FreezeError."""
