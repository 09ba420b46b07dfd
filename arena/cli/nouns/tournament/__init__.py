"""`arena tournament`."""

from arena.cli.verbs.tournament.show import app

__all__ = ["app"]
