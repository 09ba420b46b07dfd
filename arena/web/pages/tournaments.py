"""Tournaments: the list, and one with its table, crosstable, rounds, answer, leak checks and matches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import Words, translate, words
from arena.model.errors import HiddenError
from arena.model.tournaments import Pairing, TournamentDetail
from arena.web.drawing.bracket import can_be_drawn, draw_bracket
from arena.web.drawing.confidence import draw_confidence
from arena.web.drawing.heat import heat_of
from arena.web.shared.pools import FORMATS
from arena.web.shared.preferences import language_of
from arena.web.shared.progress import KNOCKOUT, expected_matches, progress_of
from arena.web.shared.rendering import render
from arena.web.shared.request_context import answers_of, arena_of
from ratings.values.page import Page
from ratings.values.statistics import Crosstable, Meeting

router = APIRouter()
_MOST_CROSSED = 24
_MOST_PAIRINGS = 500
_MOST_ROWS = 100
_MATCHES = 12
_DIGITS = 12
_PERCENT = re.compile(r"([0-9.]+)%", re.ASCII)
Cursor = Annotated[str | None, Query(max_length=2000)]
Named = Annotated[str, Path(max_length=200)]
_ROUNDS = (KNOCKOUT, "swiss")


@dataclass(frozen=True, slots=True)
class CrosstableView:
    """The crosstable of a tournament: who is in it, and how each fared against each."""

    names: tuple[str, ...]
    cells: tuple[tuple[Meeting | None, ...], ...]


@router.get("/tournaments")
def list_tournaments(
    request: Request, after: Cursor = None, name: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    """List the tournaments, the newest first; with a name lead to the one that is called so."""
    if name:
        found = answers_of(request).get_tournament(arena_of(request), name)
        return RedirectResponse(f"/tournaments/{found.summary.id}", 303)
    page = arena_of(request).tournaments.list_tournaments(after=after)
    return render(request, "pages/tournaments.html", page=page, progress_of=progress_of, known_formats=FORMATS)


@router.get("/tournaments/{tournament}")
def show_tournament(
    request: Request, tournament: Named, seen: Annotated[str, Query(max_length=_DIGITS)] = ""
) -> Response:
    """Show a tournament; 204 to a page that goes on and has `seen` its rounds and its answer as they are now."""
    arena, language = arena_of(request), language_of(request)
    found = answers_of(request).get_tournament(arena, tournament)
    crossed, why_not = _crosstable(request, found)
    pairings = _pairings(request, found)
    course = sha256(repr((pairings, crossed, why_not, found.best, found.comparison)).encode()).hexdigest()[:_DIGITS]
    if seen == course:
        return Response(status_code=204)
    return render(
        request,
        "pages/tournament.html",
        found=found,
        seen=course,
        crossed=crossed,
        why_not=why_not,
        heat_of=heat_of,
        known_formats=FORMATS,
        rounds=_by_round(pairings),
        bracket=_bracket(found, pairings, words(language)),
        matches=arena.matches.list_matches(found.summary.id, limit=_MATCHES),
        **_standing(found, language),
    )


@router.get("/tournaments/{tournament}/state")
def show_state(request: Request, tournament: Named) -> Response:
    """Show what changes while a tournament goes on; once it is over, have the page load itself anew."""
    found = answers_of(request).get_tournament(arena_of(request), tournament)
    headers = {"hx-refresh": "true"} if found.summary.is_over else {}
    values = _standing(found, language_of(request))
    return render(request, "tournament/state.html", headers=headers, found=found, **values)


@router.get("/tournaments/{tournament}/confidence")
def show_confidence(request: Request, tournament: Named) -> Response:
    """Show how sure an adaptive tournament was of its answer; htmx gets the drawing alone."""
    arena, say = arena_of(request), words(language_of(request)).say
    found = answers_of(request).get_tournament(arena, tournament)
    points = answers_of(request).ask(arena, "tournaments.list_confidence", found.summary.id)
    drawn = draw_confidence(points, _target(found), say("tournament.confidence"), say("tournament.blocks"))
    template = "tournament/drawing.html" if "hx-request" in request.headers else "pages/confidence.html"
    return render(request, template, found=found, drawn=drawn if points else "")


def _standing(found: TournamentDetail, language: str) -> dict[str, Any]:
    statuses = {row.version_id: translate(row.status, language) for row in found.standings[:_MOST_ROWS]}
    return {
        "progress": progress_of(found.summary, expected=expected_matches(found)),
        "statuses": statuses,
        "rows": found.standings[:_MOST_ROWS],
    }


def _target(found: TournamentDetail) -> float | None:
    """Return the confidence that was asked for, from a question such as `top 3 known at 95% within 10 Elo`."""
    percent = _PERCENT.search(found.best.until) if found.best is not None else None
    return float(percent[1]) / 100 if percent else None


def _crosstable(request: Request, found: TournamentDetail) -> tuple[CrosstableView | None, str]:
    """Return the crosstable, or `None` and why it is not shown yet."""
    if len(found.standings) < 2:
        return None, ""
    try:
        table = answers_of(request).of_tournament(
            arena_of(request), found.summary.id, "statistics.get_crosstable", limit=_MOST_CROSSED
        )
    except HiddenError as error:
        return None, str(error)
    return (_crossed(table), "") if table.meetings else (None, "")


def _crossed(table: Crosstable) -> CrosstableView:
    met = {(one.version_id, one.opponent_id): one for one in table.meetings}
    ids = [version.version_id for version in table.versions]
    rows = tuple(tuple(met.get((mine, other)) for other in ids) for mine in ids)
    return CrosstableView(tuple(version.name for version in table.versions), rows)


def _pairings(request: Request, found: TournamentDetail) -> tuple[Pairing, ...]:
    if found.summary.format not in _ROUNDS:
        return ()
    page: Page[Pairing] = answers_of(request).of_tournament(
        arena_of(request), found.summary.id, "tournaments.list_pairings", limit=_MOST_PAIRINGS
    )
    return page.items


def _by_round(pairings: tuple[Pairing, ...]) -> dict[int, list[Pairing]]:
    rounds: dict[int, list[Pairing]] = {}
    for one in pairings:
        rounds.setdefault(one.round, []).append(one)
    return rounds


def _bracket(found: TournamentDetail, pairings: tuple[Pairing, ...], language: Words) -> str:
    if found.summary.format != KNOCKOUT or not can_be_drawn(pairings):
        return ""
    heads = [language.say("tournament.round", number=number) for number in _by_round(pairings)]
    lanes = [language.say("tournament.unbeaten"), language.say("tournament.once_beaten")]
    return draw_bracket(pairings, language.say("tournament.bracket"), heads, language.say("tournament.bye"), lanes)
