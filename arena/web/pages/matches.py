"""The matches: a search, and one match with every position of it and whether its replay is sound."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from threading import Thread
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import Response

from arena.i18n.catalogue import translate, words
from arena.match.replay import ReplayError, load
from arena.match.result import FaultCause
from arena.model.errors import ClientError
from arena.model.matches import ANY_FAULT, MatchDetail, MatchSummary
from arena.story.errors import StoryError
from arena.web.middleware.errors import status_of
from arena.web.middleware.response_headers import PICTURE_POLICY
from arena.web.shared.answer_cache import PATIENCE_S, AnswerPendingError
from arena.web.shared.formatting import format_instant, short_id
from arena.web.shared.rendering import render, send_packed
from arena.web.shared.site import arena_of, site_of
from arena.web.shared.visitor import language_of
from arena.web.viewer.payload import board_size, picture_at, viewer_words
from arena.web.viewer.stories import ReplayChecks, StoryCache, TooManyWaitingError, story_id
from engine.translatable import Text
from ratings.errors import RatingsError
from ratings.values.page import Page
from ratings.values.states import Fared, MatchState

router = APIRouter()
Written = Annotated[str, Query(max_length=200)]
Position = Annotated[int | None, Query(ge=0, lt=1_000_000)]
_MOST_PLIES = 2**31 - 1
_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "public, no-cache"


@dataclass(frozen=True, slots=True)
class MatchSearch:
    """What stands in the form; an empty field asks for nothing."""

    bot: Written = ""
    opponent: Written = ""
    fared: Written = ""
    tournament: Written = ""
    pool: Written = ""
    fault: Written = ""
    least_plies: Written = ""
    most_plies: Written = ""
    state: Written = ""

    def search(self) -> dict[str, Any]:
        """Return it as arguments of `Matches.list_matches`. Raises ValueError for what makes no sense."""
        return {
            "bot": self.bot or None,
            "opponent": self.opponent or None,
            "fared": Fared(self.fared) if self.fared else None,
            "tournament": self.tournament or None,
            "pool": self.pool or None,
            "fault": self.fault or None,
            "least_plies": _number(self.least_plies),
            "most_plies": _number(self.most_plies),
            "state": MatchState(self.state) if self.state else None,
        }

    def query(self, **more: str) -> str:
        """Return it as the query of an address, without what is empty."""
        given = {field.name: getattr(self, field.name) for field in fields(self)} | more
        return urlencode({name: value for name, value in given.items() if value})


def _number(text: str) -> int | None:
    if not text:
        return None
    number = int(text[:20])
    if not 0 <= number <= _MOST_PLIES:
        raise ValueError(
            Text("{number} is no number of actions; write one from 0 to {most}", number=number, most=_MOST_PLIES)
        )
    return number


@router.get("/matches")
def search_matches(
    request: Request,
    wanted: Annotated[MatchSearch, Depends()],
    after: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Show the matches that are searched for, those planned last first; what is wrong is told above the form."""
    arena = arena_of(request)
    page: Page[MatchSummary] = Page(())
    status, wrong = 200, ""
    try:
        page = arena.matches.list_matches(**wanted.search(), after=after or None)
    except ValueError as error:
        status, wrong = 400, str(error)
    except Exception as error:
        status, wrong = status_of(error), str(error)
        if status >= 500:
            raise
    return render(
        request,
        "pages/matches.html",
        status=status,
        wrong=wrong,
        page=page,
        wanted=wanted,
        pools=arena.overview.list_pools(),
        any_fault=ANY_FAULT,
        causes=[cause.value for cause in FaultCause],
        states=[state.value for state in MatchState],
        more="" if page.next is None else f"/matches?{wanted.query(after=page.next)}",
    )


def stories_of(request: Request) -> StoryCache:
    """Return the stories that are kept."""
    found: StoryCache = request.app.state.stories
    return found


@router.get("/matches/{match}")
def show_match(request: Request, match: str, ply: Position = None) -> Response:
    """Show a match; with `ply` one position of it, which needs no script."""
    found = arena_of(request).matches.get_match(match)
    language = language_of(request)
    has_replay = _has_replay(found)
    is_going_on = found.state in (MatchState.PLANNED, MatchState.LEASED)
    is_live = is_going_on and not found.hidden and site_of(request).is_live
    answer = render(
        request,
        "pages/match.html",
        match=found,
        names=[seat.bot for seat in found.seats],
        has_replay=has_replay,
        is_live=is_live,
        why_not="" if has_replay or is_live or found.hidden else _why_not(found, language),
        awaited=_awaited(request, found),
        still=_still(request, found, ply, language) if has_replay and ply is not None else None,
        words=viewer_words(language),
        frames=f"/matches/{found.match_id}/frames.json?lang={language}&v={story_id(found, language)}",
        size=board_size(found.pool.game, len(found.seats)),
    )
    helper = site_of(request).helper
    if has_replay and helper is not None and helper.is_free():
        answer.background = BackgroundTask(_render_ahead, request, found, language)  # the viewer is about to ask for it
    return answer


def _render_ahead(request: Request, match: MatchDetail, language: str) -> None:
    """Have a match told before it is asked for; whoever asks is told why it cannot be."""
    with suppress(TooManyWaitingError, ClientError, RatingsError, ReplayError, StoryError):
        stories_of(request).packed(arena_of(request), match, language)


@router.get("/matches/{match}/frames.json")
def send_frames(request: Request, match: str, v: str = "") -> Response:
    """Send the story of a match that is over, as `arena.web.viewer.payload` makes it."""
    found, language = _finished(request, match), language_of(request)
    tag = story_id(found, language)
    headers = {"etag": f'"{tag}"', "cache-control": _FOREVER if v == tag else _ASK_AGAIN}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers | {"vary": "Accept-Encoding"})
    return send_packed(request, stories_of(request).packed(arena_of(request), found, language), headers)


@router.get("/matches/{match}/board.svg")
def send_board(request: Request, match: str, ply: Position = None, v: str = "") -> Response:
    """Send the picture of a position, the last one unless another is asked for; `v` as in the address of the frames."""
    found, language = _finished(request, match), language_of(request)
    if ply is not None and found.plies is not None:
        _check_position(ply, found.plies, language)
    drawn = stories_of(request).picture(arena_of(request), found, language, ply)
    if not drawn:
        raise HTTPException(404, words(language).say("viewer.no_picture"))
    is_named = v == story_id(found, language)
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": _FOREVER if is_named else _ASK_AGAIN}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@router.get("/matches/{match}/replay.json")
def send_replay(request: Request, match: str) -> Response:
    """Send the replay of a match as a file of JSON."""
    replay = arena_of(request).replays.get_replay(match)
    name = f"{short_id(replay.match_id)}.json"
    body = json.dumps(load(replay.data), ensure_ascii=False, separators=(",", ":"))
    headers = {"content-disposition": f'attachment; filename="match-{name}"', "cache-control": _ASK_AGAIN}
    return Response(body, media_type="application/json", headers=headers)


@router.get("/matches/{match}/waiting")
def show_waiting(request: Request, match: str) -> Response:
    """Show what a hidden match waits for; once it may be shown, have the page load itself anew."""
    found = arena_of(request).matches.get_match(match)
    headers = {} if found.hidden else {"hx-refresh": "true"}
    return render(request, "viewing/waiting.html", headers=headers, match=found, awaited=_awaited(request, found))


@router.get("/matches/{match}/verified")
def show_verdict(request: Request, match: str) -> Response:
    """Show whether the replay of a match is sound: a page, or for a page that asks a part of it."""
    found = _finished(request, match)
    verdicts: ReplayChecks = request.app.state.replay_checks
    check = verdicts.of(arena_of(request), found)
    template = "viewing/verdict.html" if "hx-request" in request.headers else "pages/verified.html"
    return render(request, template, match=found, check=check, headers={"vary": "HX-Request, Accept-Language, Cookie"})


def _finished(request: Request, match: str) -> MatchDetail:
    """Return a match whose replay there is. Raises HTTPException that says why there is none."""
    found = arena_of(request).matches.get_match(match)
    if not _has_replay(found):
        status = 403 if found.hidden else 410 if found.replay_removed_at_us else 404
        raise HTTPException(status, _why_not(found, language_of(request)))
    return found


def _awaited(request: Request, match: MatchDetail) -> Sequence[MatchDetail]:
    """Return the matches that must be over before a hidden one is shown."""
    return [arena_of(request).matches.get_match(other) for other in match.awaits]


def _has_replay(match: MatchDetail) -> bool:
    return match.state is MatchState.FINISHED and not match.hidden and match.replay_removed_at_us is None


def _why_not(match: MatchDetail, language: str) -> str:
    say = words(language).say
    if match.hidden:
        return f"{say('match.hidden')} {translate(match.why_hidden or '', language)}".strip()
    if match.replay_removed_at_us is not None:
        return say("match.removed", when=format_instant(match.replay_removed_at_us))
    if match.state is MatchState.VOID:
        return say("match.void", why=translate(match.void_reason or "", language))
    return say("match.not_over")


def _check_position(ply: int, last: int, language: str) -> None:
    if ply > last:
        raise HTTPException(404, words(language).say("viewer.beyond", last=last))


def _still(request: Request, match: MatchDetail, ply: int, language: str) -> dict[str, Any]:
    """Return what is told of one position on a page without a script. Raises AnswerPendingError."""
    thread = Thread(target=_render_ahead, args=(request, match, language), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    if thread.is_alive() and site_of(request).helper is not None:
        raise AnswerPendingError
    document = stories_of(request).document(arena_of(request), match, language)
    last = len(document["frames"]) - 1
    _check_position(ply, last, language)
    frame, picture = document["frames"][ply], picture_at(document, ply)
    ways = {"first": 0, "back": max(ply - 1, 0), "next": min(ply + 1, last), "last": last}
    return {
        "ply": ply,
        "last": last,
        "bot": document["seats"][frame["seat"]] if "seat" in frame else "",
        "words": " ".join(frame.get("words", ())),
        "action": frame.get("action", ""),
        "has_picture": picture is not None,
        "title": picture.title if picture else "",
        "text": frame.get("text", ""),
        "ways": [(name, place) for name, place in ways.items() if place != ply],
    }
