"""Tournaments: their tables, rounds, crosstables, and how far they are."""

from __future__ import annotations

from fastapi import APIRouter, Request

from arena.client.values.answers import ConfidencePoint
from arena.client.values.operations import Operation
from arena.client.values.page import Page
from arena.client.values.pairings import Pairing
from arena.client.values.statistics import Crosstable, SeatResult, Spread
from arena.client.values.tournaments import LeakFinding, StandingRow, TournamentDetail, TournamentSummary
from arena.web.api.asked import USUAL, After, Limit, TournamentPath
from arena.web.api.pools import Most
from arena.web.frame.asking import arena_of
from arena.web.frame.details import TournamentDetails

router = APIRouter(tags=["tournaments"])


@router.get("/tournaments")
def list_tournaments(request: Request, limit: Limit = USUAL, after: After = None) -> Page[TournamentSummary]:
    """List the tournaments, the newest first; single matches are tournaments, too."""
    return arena_of(request).tournaments.list_tournaments(limit, after)


@router.get("/tournaments/{tournament}")
def get_tournament(request: Request, tournament: TournamentPath) -> TournamentDetail:
    """Show all of a tournament but its matches."""
    details: TournamentDetails = request.app.state.details
    return details.read(arena_of(request), tournament)


@router.get("/tournaments/{tournament}/progress")
def get_progress(request: Request, tournament: TournamentPath) -> Operation:
    """Tell how far a tournament is; `done` counts the matches that are over."""
    return arena_of(request).tournaments.get_progress(tournament)


@router.get("/tournaments/{tournament}/standings")
def list_standings(
    request: Request, tournament: TournamentPath, limit: Limit = USUAL, after: After = None
) -> Page[StandingRow]:
    """List the table of a tournament, the best first."""
    return arena_of(request).tournaments.list_standings(tournament, limit, after)


@router.get("/tournaments/{tournament}/pairings")
def list_pairings(
    request: Request, tournament: TournamentPath, limit: Limit = USUAL, after: After = None
) -> Page[Pairing]:
    """List who met whom in the rounds of a knockout or Swiss tournament; nothing of other formats."""
    return arena_of(request).tournaments.list_pairings(tournament, limit, after)


@router.get("/tournaments/{tournament}/confidence")
def list_confidence(request: Request, tournament: TournamentPath) -> tuple[ConfidencePoint, ...]:
    """Tell how sure an adaptive tournament was of its answer while it went on; nothing of other formats."""
    return arena_of(request).tournaments.list_confidence(tournament)


@router.get("/tournaments/{tournament}/leak-checks")
def list_leak_checks(
    request: Request, tournament: TournamentPath, limit: Limit = USUAL, after: After = None
) -> Page[LeakFinding]:
    """List what leak checks found."""
    return arena_of(request).tournaments.list_leak_checks(tournament, limit, after)


@router.get("/tournaments/{tournament}/crosstable")
def get_crosstable(request: Request, tournament: TournamentPath, limit: Most = USUAL) -> Crosstable:
    """Show how the best entrants fared against one another."""
    return arena_of(request).statistics.get_crosstable(tournament, limit=limit)


@router.get("/tournaments/{tournament}/seats")
def list_seats(request: Request, tournament: TournamentPath) -> tuple[SeatResult, ...]:
    """Tell how everybody fared in each seat."""
    return arena_of(request).statistics.list_seats(tournament=tournament)


@router.get("/tournaments/{tournament}/lengths")
def list_lengths(request: Request, tournament: TournamentPath) -> tuple[Spread, ...]:
    """Tell how long the matches of a tournament are."""
    return arena_of(request).statistics.list_lengths(tournament)
