"""All matches that are watched now: a watch of the service for each, and one beat that wakes all spectators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

from arena.model.live import MatchEvent
from arena.rpc.channel import Endpoint
from arena.rpc.remote import Behalf, Line, RemoteArena
from arena.web.live.broadcast import MatchBroadcast, Watch
from arena.web.shared.streams import TooManyStreamsError
from arena.web.viewer.persons import NOBODY, Persons, event_with_persons
from engine.text import Text

BEAT_S = 0.5
"""Nobody is told more often than once a beat, and all at the same moment: what they are told is encoded once."""
MOST_MATCHES = 64
MOST_SPECTATORS = 2_000
_IDLE_BEATS = 60
"""After so many beats without a spectator a match is watched no longer."""
_BEHALF = Behalf("127.0.0.1")

Opener = Callable[[bool], tuple[Watch, Callable[[], None]]]
"""Returns for a match a watch, and what breaks the watch off. It is told whether the game of the match hides parts."""


def watch_service(service: str) -> Opener:
    """Return what opens watches of the service at an address, as the public sees it; a connection for each.

    Where a game hides parts, the events of a match that goes on are only for the organiser: they are watched for him,
    and whoever tells them shows of each position what all seats see.
    """

    def open_watch(hides: bool) -> tuple[Watch, Callable[[], None]]:
        line = Line(Endpoint(service), None, None if hides else _BEHALF)
        watch = RemoteArena(line).matches.watch_match
        return lambda match: map(without_note, watch(match)), line.close

    return open_watch


def without_note(event: MatchEvent) -> MatchEvent:
    """Return an event without what the bot noted, which nobody else may read while the match goes on."""
    return event if event.move is None else replace(event, move=replace(event.move, note=None))


class Hub:
    """Lives in one event loop. `close` is called once, before the server waits for its answers to end."""

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
        """Raise TooManyStreamsError if nobody more can look on."""
        if self.spectators >= MOST_SPECTATORS or self.is_closed:
            raise TooManyStreamsError(
                Text(
                    "web.many_looking_can_served_come", "as many are looking on as can be served; come back in a while"
                )
            )

    def close(self) -> None:
        """End all watches, and with them all streams."""
        self.is_closed = True
        if self._beating is not None:
            self._beating.cancel()
        for broadcast in self._broadcasts.values():
            broadcast.close()

    def _open(self, match: str, hides: bool, persons: Persons) -> MatchBroadcast:
        if self.is_closed or (len(self._broadcasts) >= MOST_MATCHES and not self._make_room()):
            raise TooManyStreamsError(
                Text(
                    "web.many_matches_watched_can_served",
                    "as many matches are watched as can be served; come back in a while",
                )
            )
        watch, end_watch = self._opener(hides)

        def watch_people(wanted: str) -> Iterator[MatchEvent]:
            return (event_with_persons(event, persons) for event in watch(wanted))

        broadcast = self._broadcasts[match] = MatchBroadcast(match, watch_people, end_watch)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
        return broadcast

    def _make_room(self) -> bool:
        """Give up a match that nobody looks at, or else one that has not begun; return whether there is one."""
        spare = [one for one in self._broadcasts.values() if not one.wakers or not one.has_begun]
        if not spare:
            return False
        found = max(spare, key=lambda one: (not one.wakers, one.idle_beats))
        del self._broadcasts[found.match]
        found.close()
        return True

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            for match, broadcast in list(self._broadcasts.items()):
                broadcast.beat()
                broadcast.idle_beats = 0 if broadcast.wakers else broadcast.idle_beats + 1
                if broadcast.idle_beats > _IDLE_BEATS:
                    del self._broadcasts[match]
                    broadcast.close()
