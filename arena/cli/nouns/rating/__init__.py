"""`arena rating`."""

from arena.cli.verbs.rating.rebuild import app

__all__ = ["app"]
