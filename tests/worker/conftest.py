"""Every test here starts real processes."""

from tests.support.host_fixtures import mark, script_game

__all__ = ["mark", "script_game"]
