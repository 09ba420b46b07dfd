"""How somebody who waits is told how far a long look at the book is."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias


class WorkStage(StrEnum):
    """What a check of the book looks at, in this order; an import, of the file first; and a copy, of both databases."""

    LINES = "lines"
    REPLAYS = "replays"
    PAGES = "pages"
    FACTS = "facts"
    FILES = "files"
    TALLIES = "tallies"
    RATINGS = "ratings"
    MEMORIES = "memories"
    COPYING = "copying"
    COMPARING = "comparing"


OnWorkProgress: TypeAlias = Callable[[WorkStage, int, int], None]
"""Is called with the stage, and how much of how much of it is done: 0 of 0 where that is not counted."""


def no_progress(stage: WorkStage, done: int, total: int) -> None:
    """Tell nobody how far it is."""
