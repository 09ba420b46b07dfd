"""Matches as a viewer may see them: what is hidden, and evidence about other owners' bots, is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.app.pool_values import pool_value
from arena.app.viewer import Viewer
from arena.app.visibility import WHY_HIDDEN
from arena.model.match_details import AttemptFact, FaultFact, LeakFact, MatchDetail, MatchSeat
from ratings.read import matches
from ratings.read.matches import SeatRow
from ratings.store.models import Attempt, Match
from ratings.store.states import MatchState

if TYPE_CHECKING:
    from ratings.store.rating import RatingChange

PERSONS = "persons"
"""The key in the settings of a tournament under which stands what people call themselves, by seat."""

_BY_HOST = "host"


def match_value(detail: matches.MatchDetail, viewer: Viewer, *, hidden: bool) -> MatchDetail:
    """Return all that the viewer may see of a match."""
    planned = _planned(detail, viewer)
    if hidden:
        return replace(planned, hidden=True, why_hidden=WHY_HIDDEN)
    match = detail.match
    may_see = [viewer.owns(row.owner_id) for row in detail.seats]
    return replace(
        planned,
        rated=match.rated and detail.tournament.rated,
        seats=tuple(_seat(detail, row) for row in detail.seats),
        by_rules=match.by_rules,
        plies=match.plies,
        decisions=match.decisions,
        started_at_us=match.started_at_us,
        duration_us=match.duration_us,
        game_digest=match.game_digest,
        record_digest=match.record_digest,
        details=match.details,
        faults=_faults(detail, may_see),
        leak_checks=_leak_checks(detail, may_see),
    )


def _planned(detail: matches.MatchDetail, viewer: Viewer) -> MatchDetail:
    """Return what is known of a match but for how it was played."""
    match = detail.match
    return MatchDetail(
        match_id=match.id,
        tournament=detail.tournament.name,
        tournament_id=detail.tournament.id,
        pool=pool_value(detail.pool),
        block=detail.block.index,
        rotation=match.rotation,
        state=match.state,
        void_reason=match.void_reason,
        attempt=match.attempt,
        rated=None,
        sandbox=match.sandbox,
        seats=tuple(_sitting(detail, row) for row in detail.seats),
        attempts=tuple(_attempt(attempt, viewer) for attempt in detail.attempts),
        logs_removed_at_us=match.logs_removed_at_us,
        replay_removed_at_us=match.replay_removed_at_us,
    )


def _sitting(detail: matches.MatchDetail, row: SeatRow) -> MatchSeat:
    return MatchSeat(
        seat=row.seat.seat,
        bot=row.bot,
        version=row.version.number,
        content_hash=row.version.content_hash,
        runtime=row.seat.runtime,
        runtime_name=detail.runtime_names.get(row.seat.runtime or ""),
        remote=row.is_remote,
        person=detail.tournament.settings.get(PERSONS, {}).get(str(row.seat.seat)),
    )


def _seat(detail: matches.MatchDetail, row: SeatRow) -> MatchSeat:
    seat = row.seat
    return replace(
        _sitting(detail, row),
        rank=seat.rank,
        forfeit=seat.forfeit,
        resigned=seat.resigned,
        ended=_ending(detail.match, row),
        rating_change=None if row.change is None else _exposure_change(row.change),
    )


def _ending(match: Match, row: SeatRow) -> str | None:
    if match.state is not MatchState.FINISHED:
        return None
    if row.seat.resigned:
        return "resigned"
    return "played" if row.seat.forfeit is None else "forfeited"


def _exposure_change(change: RatingChange) -> float:
    before = change.mu_before - 3 * change.sigma_before
    return change.mu_after - 3 * change.sigma_after - before


def _evidence(evidence: Mapping[str, Any], *, shown: bool) -> Mapping[str, Any]:
    return evidence if shown else {}


def _faults(detail: matches.MatchDetail, may_see: Sequence[bool]) -> tuple[FaultFact, ...]:
    return tuple(
        FaultFact(
            seat=fault.seat,
            bot=detail.seats[fault.seat].bot,
            cause=fault.cause,
            ply=fault.ply,
            explanation=fault.explanation,
            evidence=_evidence(fault.evidence, shown=may_see[fault.seat]),
        )
        for fault in detail.faults
    )


def _leak_checks(detail: matches.MatchDetail, may_see: Sequence[bool]) -> tuple[LeakFact, ...]:
    return tuple(
        LeakFact(
            seat=check.seat,
            bot=detail.seats[check.seat].bot,
            verdict=check.verdict,
            ply=check.ply,
            sentence=check.sentence,
            evidence=_evidence(check.evidence, shown=may_see[check.seat]),
        )
        for check in detail.leak_checks
    )


def _attempt(attempt: Attempt, viewer: Viewer) -> AttemptFact:
    return AttemptFact(
        number=attempt.number,
        worker=attempt.worker,
        state=attempt.state,
        owner=None if attempt.cause is None else _BY_HOST,
        cause=attempt.cause,
        reason=attempt.reason,
        evidence=attempt.evidence if viewer.is_organiser else None,
        leased_at_us=attempt.leased_at_us,
        ended_at_us=attempt.ended_at_us,
    )
