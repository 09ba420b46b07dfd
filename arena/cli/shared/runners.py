"""Who plays a tournament now, for people: the process and its machine."""

from __future__ import annotations

from arena.cli.shared.cells import format_instant, format_runner
from arena.cli.shared.saying import say
from arena.model.tournaments import TournamentSummary

PLANNED, RUNNING = "planned", "running"


def runner_line(summary: TournamentSummary) -> str | None:
    """Return who plays a tournament and since when, in a line, or `None` if nobody does or it is not told."""
    if summary.played_by is None:
        return None
    who, since = format_runner(summary.played_by), format_instant(summary.played_by.since_us)
    return say("cli_tournament.played_by", who=who, since=since)
