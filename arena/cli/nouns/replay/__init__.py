"""`arena replay`."""

from arena.cli.verbs.replay.verify import app

__all__ = ["app"]
