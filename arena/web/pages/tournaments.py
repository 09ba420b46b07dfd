"""The tournaments: a list, and one with its progress, table, crosstable, rounds, answer, leak checks and matches."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from arena.i18n.catalogue import translate, words
from arena.model.errors import HiddenError
from arena.model.tournaments import Pairing, TournamentDetail, TournamentSummary
from arena.web.drawing.bracket import can_be_drawn, draw_bracket
from arena.web.drawing.charts import draw_confidence
from arena.web.shared.formatting import FORMATS
from arena.web.shared.rendering import render
from arena.web.shared.site import answers_of, arena_of
from arena.web.shared.visitor import language_of
from ratings.values.page import Page
from ratings.values.statistics import Crosstable, Meeting

router = APIRouter()
Cursor = Annotated[str | None, Query(max_length=2000)]
Named = Annotated[str, Path(max_length=200)]
KNOCKOUT: Final = "knockout"
_ROUNDS = (KNOCKOUT, "swiss")
_PAIR: Final = 2
_TAGS: Final = {"running": "good", "cancelled": "bad", "planned": "warn", "stopped": "warn"}
_MOST_CROSSED = 24
_MOST_PAIRINGS = 500
_MOST_ROWS = 100
_MATCHES = 12
_DIGITS = 12
_PERCENT = re.compile(r"([0-9.]+)%", re.ASCII)
HEAT_STEPS = 9
"""The colours of a crosstable; the middle one stands for an equal result."""


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
    pairings: tuple[Pairing, ...] = ()
    if found.summary.format in _ROUNDS:
        page: Page[Pairing] = answers_of(request).of_tournament(
            arena_of(request), found.summary.id, "tournaments.list_pairings", limit=_MOST_PAIRINGS
        )
        pairings = page.items
    rounds: dict[int, list[Pairing]] = {}
    for one in pairings:
        rounds.setdefault(one.round, []).append(one)
    bracket, say = Markup(""), words(language).say
    if found.summary.format == KNOCKOUT and can_be_drawn(pairings):
        heads = [say("tournament.round", number=number) for number in rounds]
        lanes = [say("tournament.unbeaten"), say("tournament.once_beaten")]
        bracket = draw_bracket(pairings, say("tournament.bracket"), heads, say("tournament.bye"), lanes)
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
        rounds=rounds,
        bracket=bracket,
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
    # The confidence that was asked for stands in a question such as `top 3 known at 95% within 10 Elo`.
    percent = _PERCENT.search(found.best.until) if found.best is not None else None
    target = float(percent[1]) / 100 if percent else None
    drawn = draw_confidence(points, target, say("tournament.confidence"), say("tournament.blocks"))
    template = "tournament/drawing.html" if "hx-request" in request.headers else "pages/confidence.html"
    return render(request, template, found=found, drawn=drawn if points else "")


def _standing(found: TournamentDetail, language: str) -> dict[str, Any]:
    statuses = {row.version_id: translate(row.status, language) for row in found.standings[:_MOST_ROWS]}
    return {
        "progress": progress_of(found.summary, expected=expected_matches(found)),
        "statuses": statuses,
        "rows": found.standings[:_MOST_ROWS],
    }


def _crosstable(request: Request, found: TournamentDetail) -> tuple[CrosstableView | None, str]:
    """Return the crosstable, or `None` and why it is not shown yet."""
    if len(found.standings) < 2:
        return None, ""
    try:
        table: Crosstable = answers_of(request).of_tournament(
            arena_of(request), found.summary.id, "statistics.get_crosstable", limit=_MOST_CROSSED
        )
    except HiddenError as error:
        return None, str(error)
    if not table.meetings:
        return None, ""
    met = {(one.version_id, one.opponent_id): one for one in table.meetings}
    ids = [version.version_id for version in table.versions]
    rows = tuple(tuple(met.get((mine, other)) for other in ids) for mine in ids)
    return CrosstableView(tuple(version.name for version in table.versions), rows), ""


@dataclass(frozen=True, slots=True)
class TournamentProgress:
    """How far a tournament is."""

    done: int
    total: int
    left_s: float | None
    """How long it may still take at the pace so far; `None` if nothing is played now, or if it is not known."""
    tag: str
    is_open: bool = False
    """Whether nobody knows yet how many matches will follow."""

    @property
    def part(self) -> float:
        """Return the part that is done, 0 to 1."""
        return self.done / self.total if self.total else 0.0


def progress_of(one: TournamentSummary, now_us: float | None = None, expected: int | None = None) -> TournamentProgress:
    """Return how far a tournament is; `expected` is how many matches it will have in all, if that is known."""
    done = one.finished + one.void
    passed_s = ((time.time() * 1e6 if now_us is None else now_us) - one.created_at_us) / 1e6
    in_all = max(expected or 0, one.total) if one.more_waves else one.total
    is_open = one.more_waves and expected is None
    is_known = one.status == "running" and one.leased > 0 and done > 0 and not is_open
    left_s = passed_s * (in_all - done) / done if is_known else None
    return TournamentProgress(done, one.total, left_s, _TAGS.get(one.status, ""), is_open)


def expected_matches(found: TournamentDetail) -> int | None:
    """Return how many matches a tournament will have that plays wave by wave; `None` if that depends on results.

    A Swiss tournament has its rounds. In a knockout of pairs everybody but one loses as often as puts out, and each
    tie may take all its blocks; one that is level then takes more.
    """
    entrants, seats, settings = len(found.standings), found.summary.seats, found.settings
    if found.more_standings is not None or not entrants:
        return None
    if found.summary.format == "swiss" and "rounds" in settings:
        return int(settings["rounds"]) * (entrants // seats * seats) * int(settings.get("blocks", 1))
    if found.summary.format == KNOCKOUT and seats == _PAIR and "lives" in settings:
        lives = int(settings["lives"])
        return (entrants * lives - 1) * int(settings.get("best_of", 1)) * seats
    return None


def heat_of(score: float) -> int:
    """Return the step of a score from 0 (lost all) to 1 (won all) on a diverging scale, coloured by the style sheet."""
    return min(HEAT_STEPS - 1, max(0, int(score * HEAT_STEPS)))
