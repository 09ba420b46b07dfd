"""`arena match`."""

from arena.cli.verbs.match.show import app

__all__ = ["app"]
