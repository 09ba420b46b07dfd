"""Lets owners watch matches: what the book of record tells, and what happens now. A watcher holds no thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Protocol

from arena.app.match_visibility import BEFORE_ALL, WatchedMatch, event_value, log_part, loss_of
from arena.app.matches import LocalMatches
from arena.app.policy import Viewer
from arena.model.errors import ClientError, FellBehindError
from arena.model.live import LogPart, MatchEvent
from arena.service.server.authentication import Caller
from arena.service.server.calls import Threads
from engine.translatable import Text

_FIRST_LOOK_S, _LAST_LOOK_S = 0.25, 2.0


class LiveMatches(Protocol):
    """Shows matches while they wait and are played."""

    def watch(self, match_id: str, *, after: int = -1, logs: Sequence[int] = ()) -> AsyncGenerator[Any, None]:
        """Yield the events of a match (`arena.match.live`) that follow the sequence `after`, to its end.

        Raises LookupError if it is neither waiting nor played, and FellBehindError.
        """


class MatchWatchServicer:
    """Answers the calls that watch matches.

    A match is looked up in the book of record; while it is not over there, its events come from where it is played,
    and when that has nothing to show, the book is looked at again after a while.
    """

    def __init__(
        self, threads: Threads, matches_of: Callable[[Viewer], LocalMatches], live: LiveMatches | None
    ) -> None:
        self._threads = threads
        self._matches_of = matches_of
        self._live = live

    async def watch_match(
        self, caller: Caller, match: str, after: int | None = None
    ) -> AsyncGenerator[MatchEvent, None]:
        """Yield the events of a match that follow `after`, to its end."""
        last = BEFORE_ALL if after is None else after
        async with aclosing(self._stages(caller.viewer, match, None)) as stages:
            async for watched in stages:
                async with aclosing(self._events(caller.viewer, watched, last)) as events:
                    async for event in events:
                        last = event.sequence
                        yield event
                        if event.end is not None:
                            return
                if watched.is_over:
                    return

    async def watch_logs(self, caller: Caller, match: str, seat: int, after: int = 0) -> AsyncGenerator[LogPart, None]:
        """Yield what a bot writes behind the first `after` bytes, until the match is over."""
        place = after
        async with aclosing(self._stages(caller.viewer, match, seat)) as stages:
            async for watched in stages:
                async with aclosing(self._parts(caller.viewer, watched, seat, place)) as parts:
                    async for part in parts:
                        place = part.end
                        yield part
                if watched.is_over:
                    return

    async def _stages(self, viewer: Viewer, match: str, seat: int | None) -> AsyncGenerator[WatchedMatch, None]:
        """Yield what the book says of a match, again and again; watchers of one match share the answers."""
        key, wait_s = ("stage", match, seat, viewer.scope, viewer.owner_id), _FIRST_LOOK_S
        look = partial(self._matches_of(viewer).look, match, seat)
        while True:
            yield await self._threads.share(key, look, wait_s / 2)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LAST_LOOK_S)

    async def _events(self, viewer: Viewer, watched: WatchedMatch, last: int) -> AsyncGenerator[MatchEvent, None]:
        if watched.is_over:
            for stored in await self._threads.run(self._matches_of(viewer).read_events, watched, last):
                yield stored
            return
        async with aclosing(self._now(watched, last, ())) as events:
            async for event in events:
                if (shown := event_value(watched, event)) is not None:
                    yield shown

    async def _parts(
        self, viewer: Viewer, watched: WatchedMatch, seat: int, place: int
    ) -> AsyncGenerator[LogPart, None]:
        if watched.is_over:
            for stored in await self._threads.run(self._matches_of(viewer).read_log, watched, seat, place):
                yield stored
            return
        try:
            async with aclosing(self._now(watched, BEFORE_ALL, (seat,))) as events:
                async for event in events:
                    if why := loss_of(event):
                        raise ClientError(
                            Text(
                                "match {match} has no result: {why}; it may be played again",
                                match=watched.match_id,
                                why=why,
                            )
                        )
                    if (part := log_part(watched, event, place)) is not None:
                        place = part.end
                        yield part
        except FellBehindError as error:
            raise FellBehindError(place) from error

    async def _now(self, watched: WatchedMatch, after: int, logs: Sequence[int]) -> AsyncGenerator[Any, None]:
        """Yield the events of a match where it waits or is played; nothing if it is nowhere now."""
        if self._live is None:
            return
        try:
            async with aclosing(self._live.watch(watched.match_id, after=after, logs=logs)) as events:
                async for event in events:
                    yield event
        except LookupError:  # planned for later, or over and about to be recorded: the book will tell
            return
