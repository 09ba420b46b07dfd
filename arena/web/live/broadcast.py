"""One match that is watched: its events come once, in a thread, and are told once in each language."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from threading import Lock, Thread

import structlog

from arena.model.live import MatchEvent
from arena.web.live.live_story import LiveStory

_LOG = structlog.get_logger("web")
_KEPT_MESSAGES = 16
"""Spectators are told at the same moments, so nearly all of them lack the same."""
_SNAPSHOT_S = 0.5
_LEVEL = 5

Watch = Callable[[str], Iterator[MatchEvent]]
"""Yields the events of a match, from its start to its end."""


class MatchBroadcast:
    """A match and its spectators. What is public here is called in the event loop, but `begin` and `snapshot`."""

    def __init__(self, match: str, watch: Watch, end_watch: Callable[[], None]) -> None:
        """`end_watch` breaks the watch off, so that its thread ends."""
        self.match = match
        self.wakers: set[asyncio.Event] = set()
        """Set at the next beat of the hub when there is something new."""
        self.failure: Exception | None = None
        """Why nothing more comes, if something went wrong."""
        self.is_over = False
        """Whether spectators can have all that there will ever be."""
        self.idle_beats = 0
        self._end_watch = end_watch
        self._events: list[MatchEvent] = []
        self._stories: dict[str, LiveStory] = {}
        self._messages: OrderedDict[tuple[str, str, str], bytes] = OrderedDict()
        self._snapshots: dict[str, tuple[float, bytes]] = {}
        self._lock = Lock()
        self._has_news = False
        self._has_ended = False
        self._is_closed = False
        self._thread = Thread(target=self._follow, args=(watch,), name=f"watch {match}", daemon=True)
        self._thread.start()

    @property
    def has_begun(self) -> bool:
        """Return whether anything is known of the match yet."""
        return bool(self._events)

    def close(self) -> None:
        """Watch no longer, and send the spectators home."""
        self.is_over = self._is_closed = True
        self._end_watch()
        self.wake_all()

    def beat(self) -> None:
        """Give the spectators what is new: until the next beat all of them get the same."""
        if not self._has_news:
            return
        with self._lock:
            self._has_news = False
            self.is_over = self._has_ended
            for live_story in self._stories.values():
                live_story.release()
        self.wake_all()

    def wake_all(self) -> None:
        """Have every spectator look whether there is something for him."""
        for waker in self.wakers:
            waker.set()

    def begin(self, language: str) -> None:
        """Tell the match in a language from now on; in a thread, for all that has happened is told first."""
        with self._lock:
            if language not in self._stories:
                live_story = LiveStory(language)
                for event in self._events:
                    live_story.take(event)
                live_story.release()
                self._stories[language] = live_story

    def message(self, language: str, place: str | None, *, only_latest: bool = False) -> tuple[str, bytes] | None:
        """Return the place that a spectator is at then, and what he is told, or None if he knows everything.

        Whoever is at no place that is known gets the whole story, or with `only_latest` its last position.
        """
        with self._lock:
            live_story = self._stories[language]
            if live_story.count == 0 or live_story.place == place:
                return None
            key = (language, place or f"none {only_latest}", live_story.place)
            if key not in self._messages:
                self._keep(key, _compose(self.match, live_story, place, only_latest=only_latest))
            return live_story.place, self._messages[key]

    def snapshot(self, language: str) -> bytes:
        """Return the story so far and its place as JSON packed by gzip, null before the start; in a thread.

        It may be as old as a beat: whoever goes on from its place gets the rest.
        """
        with self._lock:
            made_s, packed = self._snapshots.get(language, (0.0, b""))
            if time.monotonic() - made_s > _SNAPSHOT_S:
                live_story = self._stories[language]
                story = {"at": live_story.place, "story": live_story.whole() if live_story.count else None}
                text = json.dumps(story, ensure_ascii=False, separators=(",", ":"))
                packed = gzip.compress(text.encode(), _LEVEL, mtime=0)
                self._snapshots[language] = (time.monotonic(), packed)
            return packed

    def _keep(self, key: tuple[str, str, str], message: bytes) -> None:
        self._messages[key] = message
        while len(self._messages) > _KEPT_MESSAGES:
            self._messages.popitem(last=False)

    def _follow(self, watch: Watch) -> None:
        """Take the events, to the end of the match or of the watch."""
        try:
            for event in watch(self.match):
                self._take(event)
        except Exception as error:  # the top of a thread: the spectators are told, and a new watch begins anew
            if not self._is_closed:
                _LOG.warning("a match is watched no longer", match=self.match, why=" ".join(str(error).split()))
                self.failure = error
        with self._lock:
            self._has_ended = self._has_news = True

    def _take(self, event: MatchEvent) -> None:
        with self._lock:
            if event.start is not None:
                self._events.clear()
            self._events.append(event)
            for live_story in self._stories.values():
                live_story.take(event)
            self._has_news = True


def _compose(match: str, live_story: LiveStory, place: str | None, *, only_latest: bool) -> bytes:
    """Return a message as server-sent events carry it, without its id and its empty line."""
    if place is not None and live_story.knows(place):
        kind, data = "more", live_story.since(place)
    else:
        kind, data = "story", {"story": live_story.latest() if only_latest else live_story.whole()}
    body = json.dumps({"match": match, "at": live_story.place, **data}, ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {body}\n".encode()
