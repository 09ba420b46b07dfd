"""What is asked of matches under way: the story so far, and a stream of what happens next."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response

from arena.app.policy import hides_parts
from arena.model.errors import HiddenError
from arena.web.live.broadcast import MatchBroadcast
from arena.web.live.hub import Hub
from arena.web.live.stream import Spectator, StreamedMatch, places_of
from arena.web.shared.request_context import arena_of
from arena.web.shared.visitor import language_of
from arena.web.viewer.persons import persons_of
from engine.text import Text
from ratings.values.states import MatchState

router = APIRouter()
MOST_IN_A_STREAM = 6
_LOOKED_AT = 24


def hub_of(request: Request) -> Hub:
    """Return the hub of a site. Raises HTTPException where no service plays."""
    found: Hub | None = request.app.state.hub
    if found is None:
        raise HTTPException(
            404,
            Text(
                "web.these_pages_show_database_nobody",
                "these pages show a database that nobody plays for; a service shows matches live",
            ),
        )
    return found


@router.get("/matches/{match}/live.json")
async def send_story(request: Request, match: str) -> Response:
    """Send the story of a match so far, with the place at which `/live` goes on."""
    language = language_of(request)
    broadcast = await _open(request, hub_of(request), match, language)
    packed = await asyncio.to_thread(broadcast.snapshot, language)
    headers = {"cache-control": "no-store", "vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type="application/json", headers=headers | {"content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type="application/json", headers=headers)


@router.get("/live")
async def stream(
    request: Request,
    match: Annotated[list[str], Query(min_length=1, max_length=MOST_IN_A_STREAM)],
    after: Annotated[list[str] | None, Query(max_length=MOST_IN_A_STREAM)] = None,
    latest: bool = False,
    last_event_id: Annotated[str | None, Header(max_length=1000)] = None,
) -> Response:
    """Tell what happens in some matches, as `arena.web.live.stream` says.

    `after` is a place for each match. A browser that comes back says itself where it was. With `latest` a story begins
    with its last position.
    """
    hub, language = hub_of(request), language_of(request)
    hub.need_room()
    places = _places(last_event_id, after, len(match))
    broadcasts = [await _open(request, hub, each, language) for each in match]
    return Spectator(
        hub,
        [
            StreamedMatch(broadcast, language, place, latest)
            for broadcast, place in zip(broadcasts, places, strict=True)
        ],
    )


@router.get("/tv")
def show_live(request: Request, after: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Lead to a match that can be watched now, the one that began last; not to `after`, which was seen already.

    Where there is none it leads to the front page.
    """
    found = arena_of(request).matches.list_matches(state=MatchState.LEASED, limit=_LOOKED_AT).items
    ids = [match.id for match in found if not match.hidden and match.id != after]
    asked = f"&lang={language_of(request)}" if "lang" in request.query_params else ""
    return RedirectResponse(f"/matches/{ids[0]}?tv=1{asked}" if ids else "/", 303, {"cache-control": "no-store"})


def _places(known: str | None, after: Sequence[str] | None, count: int) -> list[str | None]:
    if known or after is None or len(after) != count:
        return places_of(known, count)
    return [place or None for place in after]


async def _open(request: Request, hub: Hub, match: str, language: str) -> MatchBroadcast:
    """Return the broadcast of a match. Raises UnknownError, HiddenError, TooManyStreamsError."""
    found = await asyncio.to_thread(arena_of(request).matches.get_match, match)
    if found.hidden:
        raise HiddenError(Text("app.match_is", "match {match} is {why}", match=found.match_id, why=found.why_hidden))
    hides = hides_parts(found.pool.game)
    return await hub.broadcast(found.match_id, language, hides=hides, persons=persons_of(found))
