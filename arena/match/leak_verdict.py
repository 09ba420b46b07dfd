"""What a leak check says of a bot, in one word."""

from __future__ import annotations

import enum


class LeakVerdict(enum.StrEnum):
    """What fresh processes of a bot said to the questions that a used one had answered."""

    EQUAL = "equal"
    """The same answers: nothing leaked from earlier matches."""
    LEAK = "leak"
    """The same answers as each other, but not those of the used process: it remembered something."""
    UNSTABLE = "unstable"
    """Different answers even among themselves: the bot is not deterministic, whatever it declares."""
    UNKNOWN = "unknown"
    """No verdict: a fresh process did not start, or did not answer."""
