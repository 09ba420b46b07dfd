"""Makes the report of a match that is over."""

from __future__ import annotations

from arena.match.decisions import DecidedBy
from arena.match.match import Match
from arena.match.replay import WrittenReplay
from arena.match.report import HostNote, LeakCheckResult, MatchReport
from arena.match.spec import NO_SANDBOX, weakest_level
from arena.worker.accounts import Accounts


def build_report(
    match: Match,
    replay: WrittenReplay,
    checks: tuple[LeakCheckResult, ...],
    accounts: Accounts,
    note: HostNote | None = None,
) -> MatchReport:
    """Return the report of a match that is over, with its replay."""
    return MatchReport(
        match_id=match.spec.match_id,
        attempt=match.spec.attempt,
        result=match.result(),
        plies=len(match.entries),
        decisions=sum(entry.by is DecidedBy.BOT for entry in match.entries),
        started_at_us=replay.started_at_us,
        duration_us=replay.duration_us,
        game_digest=replay.game_digest,
        record_digest=replay.record_digest,
        replay=replay.data,
        # Where a remote bot runs is its author's affair; the level is that of the bots that ran here.
        sandbox=weakest_level([seat.sandbox for seat in match.spec.seats if not seat.is_remote] or [NO_SANDBOX]),
        leak_checks=checks,
        seat_logs=accounts.logs,
        seat_processes=accounts.processes,
        runtimes=tuple(seat.runtime for seat in match.spec.seats),
        referee_lag_us=max((entry.figures.referee_lag_us for entry in match.entries if entry.figures), default=0),
        note=note,
    )
