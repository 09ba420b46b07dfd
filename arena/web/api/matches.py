"""Matches: searched, shown, with their replays and times. What is hidden yet stays hidden here, too."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from arena.i18n.catalogue import NAMES
from arena.match.replay import load
from arena.model.matches import MatchDetail, MatchSummary, MatchTimes, ReplayCheck
from arena.web.api.openapi import USUAL, After, Limit, MatchPath, Name, Plies
from arena.web.shared.rendering import send_packed
from arena.web.shared.site import arena_of
from arena.web.shared.visitor import language_of
from arena.web.viewer.stories import ReplayChecks, StoryCache
from ratings.values.page import Page
from ratings.values.states import Fared, MatchState

router = APIRouter(tags=["matches"])


@router.get("/matches")
def list_matches(
    request: Request,
    tournament: Name = None,
    state: MatchState | None = None,
    bot: Name = None,
    opponent: Name = None,
    fared: Annotated[Fared | None, Query(description="How `bot` came out of it.")] = None,
    fault: Annotated[str | None, Query(max_length=100, description="A cause such as TIMEOUT, or any.")] = None,
    pool: Name = None,
    least_plies: Plies = None,
    most_plies: Plies = None,
    limit: Limit = USUAL,
    after: After = None,
) -> Page[MatchSummary]:
    """List the matches for which everything that is given is true, those planned last first.

    With a length, a page may be shorter than `limit` although the list goes on.
    """
    return arena_of(request).matches.list_matches(
        tournament,
        state,
        bot,
        fault,
        pool,
        limit,
        after,
        opponent=opponent,
        fared=fared,
        least_plies=least_plies,
        most_plies=most_plies,
    )


@router.get("/matches/{match}")
def get_match(request: Request, match: MatchPath) -> MatchDetail:
    """Show all of a match but its replay."""
    return arena_of(request).matches.get_match(match)


@router.get("/matches/{match}/times")
def get_times(request: Request, match: MatchPath) -> MatchTimes:
    """Tell how the time of a match was spent, decision by decision."""
    return arena_of(request).matches.get_times(match)


@router.get("/matches/{match}/replay")
def get_replay(request: Request, match: MatchPath) -> dict[str, Any]:
    """Return the replay of a match as the document that `arena replay show FILE` reads."""
    return load(arena_of(request).replays.get_replay(match).data)


@router.get("/matches/{match}/story", response_model=dict[str, Any])
def get_story(
    request: Request,
    match: MatchPath,
    lang: Annotated[str | None, Query(max_length=10, description="Such as `de`.")] = None,
) -> Response:
    """Tell a match that is over as the viewer does, position by position.

    Of each: the move in words, what chance brought, clocks, notes, faults, the value, and the parts of its picture that
    changed; and at the end the final scoring.
    """
    found = arena_of(request).matches.get_match(match)
    language = lang if lang is not None and lang in NAMES else language_of(request)
    stories: StoryCache = request.app.state.stories
    return send_packed(request, stories.packed(arena_of(request), found, language), {"vary": "Accept-Language, Cookie"})


@router.get("/matches/{match}/check")
def check_match(request: Request, match: MatchPath) -> ReplayCheck:
    """Tell whether what is stored of a match is sound: it is played again, and everything compared."""
    verdicts: ReplayChecks = request.app.state.replay_checks
    return verdicts.of(arena_of(request), arena_of(request).matches.get_match(match))
