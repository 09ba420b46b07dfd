"""Those who look on at matches: one watch and one beat for all of a match, and a stream of server-sent events for each.

    event: story   {"match", "at", "story"}                  the match so far, or its last position alone
    event: more    {"match", "at", "frames", "parts", "end"}  what has happened since
    event: stop    {"match", "why"}                          nothing more comes, and why

The id of an event holds the places in all matches, so that a browser goes on where it was (`Last-Event-ID`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from arena.app.policy import hides_parts
from arena.model.errors import HiddenError
from arena.model.live import MatchEvent
from arena.rpc.channel import Endpoint
from arena.rpc.remote_arena import Behalf, Line, RemoteArena
from arena.web.shared.rendering import send_packed
from arena.web.shared.site import arena_of
from arena.web.shared.streams import HEARTBEAT_S, READ_PATIENCE_S, TooManyStreamsError
from arena.web.shared.visitor import language_of
from arena.web.viewer.broadcast import MatchBroadcast, Watch
from arena.web.viewer.payload import NOBODY, Persons, event_with_persons, persons_of
from engine.translatable import Text
from ratings.values.states import MatchState

router = APIRouter()
Opener = Callable[[bool], tuple[Watch, Callable[[], None]]]
"""Returns for a match a watch, and what breaks the watch off. It is told whether the game of the match hides parts."""
BEAT_S = 0.5
"""Nobody is told more often than once a beat, and all at the same moment: what they are told is encoded once."""
MOST_MATCHES = 64
MOST_SPECTATORS = 2_000
_IDLE_BEATS = 60
"""After so many beats without a spectator a match is watched no longer."""
MOST_IN_A_STREAM = 6
_LOOKED_AT = 24
_BEHALF = Behalf("127.0.0.1")
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_APART = ";"


def hub_of(request: Request) -> Hub:
    """Return the hub of a site. Raises HTTPException where no service plays."""
    found: Hub | None = request.app.state.hub
    if found is None:
        raise HTTPException(
            404, Text("these pages show a database that nobody plays for; a service shows matches live")
        )
    return found


@router.get("/matches/{match}/live.json")
async def send_story(request: Request, match: str) -> Response:
    """Send the story of a match so far, with the place at which `/live` goes on."""
    language = language_of(request)
    broadcast = await _open(request, hub_of(request), match, language)
    packed = await asyncio.to_thread(broadcast.snapshot, language)
    return send_packed(request, packed, {"cache-control": "no-store"})


@router.get("/live")
async def stream(
    request: Request,
    match: Annotated[list[str], Query(min_length=1, max_length=MOST_IN_A_STREAM)],
    after: Annotated[list[str] | None, Query(max_length=MOST_IN_A_STREAM)] = None,
    latest: bool = False,
    last_event_id: Annotated[str | None, Header(max_length=1000)] = None,
) -> Response:
    """Stream what happens in some matches, as the docstring of this module describes.

    `after` is a place for each match. A browser that comes back says itself where it was. With `latest` a story begins
    with its last position.
    """
    hub, language = hub_of(request), language_of(request)
    hub.need_room()
    if last_event_id or after is None or len(after) != len(match):
        places = places_of(last_event_id, len(match))
    else:
        places = [place or None for place in after]
    broadcasts = [await _open(request, hub, each, language) for each in match]
    watched = zip(broadcasts, places, strict=True)
    return Spectator(hub, [StreamedMatch(broadcast, language, place, latest) for broadcast, place in watched])


@router.get("/tv")
def show_live(request: Request, after: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Redirect to the live match that began last, but not to `after`, which was seen already.

    Where there is none it leads to the front page.
    """
    found = arena_of(request).matches.list_matches(state=MatchState.LEASED, limit=_LOOKED_AT).items
    ids = [match.id for match in found if not match.hidden and match.id != after]
    asked = f"&lang={language_of(request)}" if "lang" in request.query_params else ""
    return RedirectResponse(f"/matches/{ids[0]}?tv=1{asked}" if ids else "/", 303, {"cache-control": "no-store"})


async def _open(request: Request, hub: Hub, match: str, language: str) -> MatchBroadcast:
    """Return the broadcast of a match. Raises UnknownError, HiddenError, TooManyStreamsError."""
    found = await asyncio.to_thread(arena_of(request).matches.get_match, match)
    if found.hidden:
        raise HiddenError(Text("match {match} is {why}", match=found.match_id, why=found.why_hidden))
    hides = hides_parts(found.pool.game)
    return await hub.broadcast(found.match_id, language, hides=hides, persons=persons_of(found))


class Hub:
    """All matches that are watched now. Lives in one event loop; `close` is called before the server waits."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._broadcasts: dict[str, MatchBroadcast] = {}
        self._beating: asyncio.Task[None] | None = None
        self.spectators = 0
        self.is_closed = False

    async def broadcast(
        self, match: str, language: str, *, hides: bool = False, persons: Persons = NOBODY
    ) -> MatchBroadcast:
        """Return the broadcast of a match, named by its whole id, told in a language. Raises TooManyStreamsError.

        `hides` tells whether its game hides parts, and `persons` who sits there. Whoever asks may watch the match: it
        is not looked at again.
        """
        found = self._broadcasts.get(match)
        if found is None or found.failure is not None:
            found = self._open(match, hides, persons)
        found.idle_beats = 0
        await asyncio.to_thread(found.begin, language)
        return found

    def need_room(self) -> None:
        """Raise TooManyStreamsError if no more spectators are served."""
        if self.spectators >= MOST_SPECTATORS or self.is_closed:
            raise TooManyStreamsError(Text("as many are looking on as can be served; come back in a while"))

    def close(self) -> None:
        """End all watches, and with them all streams."""
        self.is_closed = True
        if self._beating is not None:
            self._beating.cancel()
        for broadcast in self._broadcasts.values():
            broadcast.close()

    def _open(self, match: str, hides: bool, persons: Persons) -> MatchBroadcast:
        is_full = len(self._broadcasts) >= MOST_MATCHES
        # Room is made by a match without spectators, or else by one that has not begun.
        spare = [one for one in self._broadcasts.values() if not one.wakers or not one.has_begun] if is_full else []
        if self.is_closed or (is_full and not spare):
            raise TooManyStreamsError(Text("as many matches are watched as can be served; come back in a while"))
        if spare:
            found = max(spare, key=lambda one: (not one.wakers, one.idle_beats))
            del self._broadcasts[found.match]
            found.close()
        watch, end_watch = self._opener(hides)

        def watch_people(wanted: str) -> Iterator[MatchEvent]:
            return (event_with_persons(event, persons) for event in watch(wanted))

        broadcast = self._broadcasts[match] = MatchBroadcast(match, watch_people, end_watch)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
        return broadcast

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            for match, broadcast in list(self._broadcasts.items()):
                broadcast.beat()
                broadcast.idle_beats = 0 if broadcast.wakers else broadcast.idle_beats + 1
                if broadcast.idle_beats > _IDLE_BEATS:
                    del self._broadcasts[match]
                    broadcast.close()


def watch_service(service: str) -> Opener:
    """Return a function that opens a watch of the service as the public sees it, each on its own connection.

    Where a game hides parts, the events of a match that goes on are only for the organiser: they are watched for him,
    and whoever tells them shows of each position what all seats see.
    """

    def open_watch(hides: bool) -> tuple[Watch, Callable[[], None]]:
        line = Line(Endpoint(service), None, None if hides else _BEHALF)
        watch = RemoteArena(line).matches.watch_match
        return lambda match: map(without_note, watch(match)), line.close

    return open_watch


def without_note(event: MatchEvent) -> MatchEvent:
    """Return an event without the bot's note, which stays private while the match goes on."""
    return event if event.move is None else replace(event, move=replace(event.move, note=None))


class Spectator(Response):
    """Answers with the stream of one spectator."""

    def __init__(self, hub: Hub, views: Sequence[StreamedMatch]) -> None:
        super().__init__()
        self._hub = hub
        self._views = views
        self._news = asyncio.Event()
        self._has_left = False

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Tell what happens until the last match is over, or the spectator leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        listening = asyncio.create_task(self._listen(receive))
        self._hub.spectators += 1
        for view in self._views:
            view.broadcast.wakers.add(self._news)
        try:
            with suppress(TimeoutError):  # who reads nothing comes back, and goes on where he was
                await _send(send, b"retry: 2000\n\n")
                while not self._is_over:
                    self._news.clear()
                    body = b"".join(self._new())
                    if body:
                        await _send(send, body)
                    if not self._is_over:
                        try:
                            async with asyncio.timeout(HEARTBEAT_S):
                                await self._news.wait()
                        except TimeoutError:
                            await _send(send, b":\n\n")
                if not self._has_left:
                    await _send(send, b"", more=False)
        finally:
            self._hub.spectators -= 1
            for view in self._views:
                view.broadcast.wakers.discard(self._news)
            listening.cancel()

    @property
    def _is_over(self) -> bool:
        return self._has_left or self._hub.is_closed or all(view.is_done for view in self._views)

    def _new(self) -> Iterator[bytes]:
        for view in self._views:
            if view.is_done:
                continue
            is_over = view.broadcast.is_over  # asked first: what comes meanwhile is told the next time
            found = view.broadcast.message(view.language, view.place, only_latest=view.only_latest)
            if found is not None:
                view.place, message = found
                places = _APART.join(each.place or "" for each in self._views)
                yield message + f"id: {places}\n\n".encode()
            if is_over:
                view.is_done = True
                why = str(view.broadcast.failure or "")
                yield f"event: stop\ndata: {json.dumps({'match': view.broadcast.match, 'why': why})}\n\n".encode()

    async def _listen(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._has_left = True
        self._news.set()


@dataclass(slots=True)
class StreamedMatch:
    """One match in a stream, and how much of it the spectator has."""

    broadcast: MatchBroadcast
    language: str
    place: str | None = None
    only_latest: bool = False
    is_done: bool = False


def places_of(text: str | None, count: int) -> list[str | None]:
    """Return the places that an id of an event holds; none if it is not one of a stream of so many matches."""
    places = (text or "").split(_APART)
    return list(places) if text and len(places) == count else [None] * count


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    """Send a part. Raises TimeoutError if the spectator does not read."""
    async with asyncio.timeout(READ_PATIENCE_S):
        await send({"type": "http.response.body", "body": body, "more_body": more})
