"""Everything the statistics raise on purpose. They know nothing of the database, and so have a tree of their own.

    StatisticsError
    ├── SkillError      constants or ranks that no rating can work with, or a package that is missing
    └── ResultsError    results, or a question about them, that cannot be worked with

Every message is one line and ends with the remedy where there is one.
"""

from typing import ClassVar


class StatisticsError(Exception):
    """The root of everything the statistics raise on purpose."""

    kind: ClassVar[str] = "failed"
    reason: ClassVar[str] = "STATISTICS"


class SkillError(StatisticsError, ValueError):
    """No rating can be computed with these constants or ranks, or here: its package is missing."""


class ResultsError(StatisticsError, ValueError):
    """The statistics cannot work with these results, or with this question about them."""
