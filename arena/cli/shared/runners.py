"""Who plays a tournament now, for people: the process and its machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from arena.cli.shared.output import format_instant
from arena.cli.shared.saying import say
from arena.model.tournaments import STOPPED, TournamentSummary

PLANNED, RUNNING = "planned", "running"

__all__ = ["PLANNED", "RUNNING", "STOPPED", "format_runner", "runner_line"]


def format_runner(player: Mapping[str, Any] | None) -> str:
    """Write who plays a tournament, for a table: `HOST:PID`, or `-` if nobody does."""
    return "-" if player is None else f"{player['host']}:{player['pid'] or '?'}"


def runner_line(summary: TournamentSummary) -> str | None:
    """Return who plays a tournament and since when, in a line, or `None` if nobody does or it is not told."""
    if summary.played_by is None:
        return None
    who, since = format_runner(asdict(summary.played_by)), format_instant(summary.played_by.since_us)
    return say("cli_tournament.played_by", who=who, since=since)
