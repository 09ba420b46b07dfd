"""Tournaments: their tables, rounds, crosstables, and how far they are; and comparisons of two versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from arena.model.operations import Operation
from arena.model.ratings import WalkPoint
from arena.model.tournaments import (
    ConfidencePoint,
    LeakFinding,
    Pairing,
    StandingRow,
    TournamentDetail,
    TournamentSummary,
)
from arena.web.api.openapi import USUAL, After, Limit, Name, TournamentPath
from arena.web.api.pools import Most
from arena.web.shared.site import answers_of, arena_of
from ratings.values.page import Page
from ratings.values.statistics import Crosstable, SeatResult, Spread

router = APIRouter(tags=["tournaments"])
comparisons = APIRouter(tags=["comparisons"])
ComparisonPath = Annotated[str, Path(max_length=200, description="The name or the id of its tournament.")]
_POINTS = Annotated[int, Query(ge=2, le=1000, description="About how many points at most.")]


def _about(request: Request, tournament: str, question: str, **more: Any) -> Any:
    """Return the answer to a question about a tournament, which may take long, as it was given a moment ago."""
    return answers_of(request).of_tournament(arena_of(request), tournament, question, **more)


@router.get("/tournaments")
def list_tournaments(request: Request, limit: Limit = USUAL, after: After = None) -> Page[TournamentSummary]:
    """List the tournaments, the newest first; single matches are tournaments, too."""
    return arena_of(request).tournaments.list_tournaments(limit, after)


@router.get("/tournaments/{tournament}")
def get_tournament(request: Request, tournament: TournamentPath) -> TournamentDetail:
    """Show all of a tournament but its matches."""
    return answers_of(request).get_tournament(arena_of(request), tournament)


@router.get("/tournaments/{tournament}/progress")
def get_progress(request: Request, tournament: TournamentPath) -> Operation:
    """Tell how far a tournament is; `done` counts the matches that are over."""
    found: Operation = _about(request, tournament, "tournaments.get_progress")
    return found


@router.get("/tournaments/{tournament}/standings")
def list_standings(
    request: Request, tournament: TournamentPath, limit: Limit = USUAL, after: After = None
) -> Page[StandingRow]:
    """List the table of a tournament, the best first."""
    found: Page[StandingRow] = _about(request, tournament, "tournaments.list_standings", limit=limit, after=after)
    return found


@router.get("/tournaments/{tournament}/pairings")
def list_pairings(
    request: Request, tournament: TournamentPath, limit: Limit = USUAL, after: After = None
) -> Page[Pairing]:
    """List who met whom in the rounds of a knockout or Swiss tournament; nothing of other formats."""
    found: Page[Pairing] = _about(request, tournament, "tournaments.list_pairings", limit=limit, after=after)
    return found


@router.get("/tournaments/{tournament}/confidence")
def list_confidence(request: Request, tournament: TournamentPath) -> tuple[ConfidencePoint, ...]:
    """Tell how sure an adaptive tournament was of its answer while it went on; nothing of other formats."""
    arena = arena_of(request)
    found: tuple[ConfidencePoint, ...] = answers_of(request).ask(arena, "tournaments.list_confidence", tournament)
    return found


@router.get("/tournaments/{tournament}/leak-checks")
def list_leak_checks(
    request: Request, tournament: TournamentPath, limit: Limit = USUAL, after: After = None
) -> Page[LeakFinding]:
    """List what leak checks found."""
    return arena_of(request).tournaments.list_leak_checks(tournament, limit, after)


@router.get("/tournaments/{tournament}/crosstable")
def get_crosstable(request: Request, tournament: TournamentPath, limit: Most = USUAL) -> Crosstable:
    """Show how the best entrants fared against one another."""
    found: Crosstable = _about(request, tournament, "statistics.get_crosstable", limit=limit)
    return found


@router.get("/tournaments/{tournament}/seats")
def list_seats(request: Request, tournament: TournamentPath) -> tuple[SeatResult, ...]:
    """Tell how everybody fared in each seat."""
    found: tuple[SeatResult, ...] = _about(request, tournament, "statistics.list_seats")
    return found


@router.get("/tournaments/{tournament}/lengths")
def list_lengths(request: Request, tournament: TournamentPath) -> tuple[Spread, ...]:
    """Tell how long the matches of a tournament are."""
    found: tuple[Spread, ...] = _about(request, tournament, "statistics.list_lengths")
    return found


@comparisons.get("/comparisons")
def list_comparisons(
    request: Request, new: Name = None, old: Name = None, limit: Limit = USUAL
) -> tuple[TournamentSummary, ...]:
    """List the newest comparisons, with names those in which these bots take part, any version of each."""
    names = [name.partition("@")[0] for name in (new, old) if name]
    return arena_of(request).overview.find_comparisons(names, limit)


@comparisons.get("/comparisons/{comparison}/walk")
def walk_comparison(request: Request, comparison: ComparisonPath, points: _POINTS = 120) -> tuple[WalkPoint, ...]:
    """Tell how the log ratio of a comparison went; its bounds stand in the tournament's `comparison`."""
    found: tuple[WalkPoint, ...] = answers_of(request).of_tournament(
        arena_of(request), comparison, "overview.walk_comparison", points=points
    )
    return found
