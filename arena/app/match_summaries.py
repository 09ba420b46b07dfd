"""Matches in lists as a viewer may see them: what is hidden is left out."""

from __future__ import annotations

from dataclasses import replace

from arena.app.visibility import WHY_HIDDEN
from arena.model.matches import MatchSummary, SeatSummary
from ratings.read.match_list import MatchRow
from ratings.store.models import Match


def match_summary(row: MatchRow, *, hidden: bool) -> MatchSummary:
    """Return a match as a list shows it."""
    match = row.match
    planned = MatchSummary(
        id=match.id,
        tournament=row.tournament,
        position=match.position + 1,
        block=row.block_index,
        rotation=match.rotation,
        seats=tuple(SeatSummary(bot) for bot, _ in row.seats),
        attempt=match.attempt,
        sandbox=match.sandbox,
        state=match.state,
        void_reason=match.void_reason,
    )
    if hidden:
        return replace(planned, hidden=True, why_hidden=WHY_HIDDEN)
    return replace(
        planned,
        seats=tuple(SeatSummary(bot, rank, row.faults.get(seat)) for seat, (bot, rank) in enumerate(row.seats)),
        plies=match.plies,
        decisions=match.decisions,
        game_digest=match.game_digest,
        ended_at_us=_ended(match),
    )


def _ended(match: Match) -> int | None:
    """Return when a match came to its end."""
    if match.started_at_us is None or match.duration_us is None:
        return None
    return match.started_at_us + match.duration_us
