"""Every test here starts real processes."""

from tests.support.host_fixtures import mark, script_game
from tests.worker.hosted import host

__all__ = ["host", "mark", "script_game"]
