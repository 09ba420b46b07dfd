"""Makes the report of a match that is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.match.decisions import DecidedBy
from arena.match.match import Match
from arena.match.replay import dump
from arena.match.report import HostNote, LeakCheck, MatchReport
from arena.match.spec import NO_SANDBOX, weakest_level
from arena.worker.accounts import Accounts


def build_report(
    match: Match,
    document: Mapping[str, Any],
    checks: tuple[LeakCheck, ...],
    accounts: Accounts,
    note: HostNote | None = None,
) -> MatchReport:
    """Return the report of a match that is over, with its replay, the `document`."""
    return MatchReport(
        match_id=match.spec.match_id,
        attempt=match.spec.attempt,
        result=match.result(),
        plies=len(match.entries),
        decisions=sum(entry.by is DecidedBy.BOT for entry in match.entries),
        started_at_us=document["started_at_us"],
        duration_us=document["duration_us"],
        game_digest=document["game_digest"],
        record_digest=document["record_digest"],
        replay=dump(document),
        # Where a remote bot runs is its author's affair; the level is that of the bots that ran here.
        sandbox=weakest_level([seat.sandbox for seat in match.spec.seats if not seat.is_remote] or [NO_SANDBOX]),
        leak_checks=checks,
        seat_logs=accounts.logs,
        seat_processes=accounts.processes,
        runtimes=tuple(seat.runtime for seat in match.spec.seats),
        referee_lag_us=max((entry.figures.referee_lag_us for entry in match.entries if entry.figures), default=0),
        note=note,
    )
