"""The error of a match that cannot be told."""

from __future__ import annotations

from typing import ClassVar


class StoryError(ValueError):
    """The match cannot be followed: its game is not installed here with its rules, or a ply does not fit."""

    kind: ClassVar[str] = "failed"
