"""Everything the statistics raise on purpose. They know nothing of the database, and so have a tree of their own.

    StatisticsError
    ├── SkillError      constants or ranks that TrueSkill cannot work with
    └── ResultsError    results, or a question about them, that cannot be worked with

Every message is one line and ends with the remedy where there is one.
"""

from typing import ClassVar


class StatisticsError(Exception):
    """The root of everything the statistics raise on purpose."""

    kind: ClassVar[str] = "failed"
    reason: ClassVar[str] = "STATISTICS"


class SkillError(StatisticsError, ValueError):
    """TrueSkill cannot work with these constants or ranks."""


class ResultsError(StatisticsError, ValueError):
    """The statistics cannot work with these results, or with this question about them."""
