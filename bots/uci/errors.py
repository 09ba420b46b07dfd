"""What goes wrong with an engine: one class, whose sentence names the engine, what it was asked, and what came.

The bot ends with it on stderr, so that the arena keeps the sentence as evidence of the fault.
"""

from __future__ import annotations


class UciError(Exception):
    """The engine cannot be started, has ended, or said something that is no answer."""
