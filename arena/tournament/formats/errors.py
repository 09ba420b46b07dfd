"""What formats raise on purpose.

ScheduleError   this number of entrants, seats or blocks makes no tournament
"""

from typing import ClassVar


class ScheduleError(ValueError):
    """These entrants cannot play such a schedule; the message says why and what to ask for instead."""

    kind: ClassVar[str] = "misuse"
    reason: ClassVar[str] = "SCHEDULE"
