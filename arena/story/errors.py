"""What keeps a match from being told.

A story is told from the events of a match as whoever watches it gets them (`arena.model.live`), the same for a match
under way and for a replay. Where a position is drawn from hidden chance, such as the order of a pile, their outcomes
hold it, and a story needs it; both are shown only to those who may see them. A story passes on what is public alone:
what chance revealed (`State.revealed`), and pictures, words and values that no game makes from what is hidden.
"""

from __future__ import annotations

from typing import ClassVar


class StoryError(ValueError):
    """The match cannot be followed: its game is not installed here with its rules, or a ply does not fit."""

    kind: ClassVar[str] = "failed"
