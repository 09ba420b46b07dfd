"""Every test here starts real processes."""

from tests.support.processes import mark, script_game

__all__ = ["mark", "script_game"]
