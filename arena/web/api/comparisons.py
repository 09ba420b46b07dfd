"""Comparisons of two versions: which there are, and how the test of one went."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from arena.model.ratings import WalkPoint
from arena.model.tournaments import TournamentSummary
from arena.web.api.asked import USUAL, Limit, Name
from arena.web.shared.request_context import answers_of, arena_of

router = APIRouter(tags=["comparisons"])
ComparisonPath = Annotated[str, Path(max_length=200, description="The name or the id of its tournament.")]
_POINTS = Annotated[int, Query(ge=2, le=1000, description="About how many points at most.")]


@router.get("/comparisons")
def list_comparisons(
    request: Request, new: Name = None, old: Name = None, limit: Limit = USUAL
) -> tuple[TournamentSummary, ...]:
    """List the newest comparisons, with names those in which these bots take part, any version of each."""
    names = [name.partition("@")[0] for name in (new, old) if name]
    return arena_of(request).overview.find_comparisons(names, limit)


@router.get("/comparisons/{comparison}/walk")
def walk_comparison(request: Request, comparison: ComparisonPath, points: _POINTS = 120) -> tuple[WalkPoint, ...]:
    """Tell how the log ratio of a comparison went; its bounds stand in the tournament's `comparison`."""
    found: tuple[WalkPoint, ...] = answers_of(request).of_tournament(
        arena_of(request), comparison, "overview.walk_comparison", points=points
    )
    return found
