"""Turns what an executor gives back into what the book of record keeps. Pure, no I/O."""

from __future__ import annotations

from arena.match.host_faults import MatchLostError
from arena.match.report import MatchReport
from ratings.ledger.attempts import LostAttempt
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.recording import FaultFact, LeakFact, MatchFact, NoteFact
from ratings.ledger.seat_logs import SeatLogFact


def fact_of(report: MatchReport, worker: str) -> MatchFact:
    """Return what the book of record keeps of a report that `worker` recorded."""
    result = report.result
    return MatchFact(
        match_id=report.match_id,
        attempt=report.attempt,
        worker=worker,
        ranks=result.ranks,
        by_rules=result.by_rules,
        rated=result.rated,
        forfeits=result.forfeits,
        faults=[
            FaultFact(fault.seat, fault.cause.value, fault.ply, fault.explanation, fault.evidence)
            for fault in result.faults
        ],
        details=result.details,
        plies=report.plies,
        decisions=report.decisions,
        started_at_us=report.started_at_us,
        duration_us=report.duration_us,
        game_digest=report.game_digest,
        record_digest=report.record_digest,
        replay=report.replay,
        resigned=result.resigned,
        sandbox=report.sandbox,
        leak_checks=[
            LeakFact(check.seat, check.verdict.value, check.ply, check.sentence, check.evidence)
            for check in report.leak_checks
        ],
        seat_logs=[SeatLogFact(log.seat, log.data, log.cut_bytes) for log in report.seat_logs],
        runtimes=report.runtimes,
        note=None if report.note is None else NoteFact(report.note.sentence, report.note.evidence),
    )


def lost_attempt(match: LeasedMatch, error: MatchLostError, *, counts: bool = True) -> LostAttempt:
    """Return what the book of record keeps of an attempt that the host lost."""
    return LostAttempt(match.match_id, match.attempt, str(error), error.cause.value, error.evidence, counts=counts)
