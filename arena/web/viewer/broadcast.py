"""One match that goes on: its events come once, in a thread, and its story is told once in each language.

A place in it is `attempt.count`: how many events of which attempt somebody has. Whatever tells the match says the same
at the same place, so a spectator may go on after a break, be it of the network or of the process that tells.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock, Thread
from typing import Any

import structlog

from arena.model.live import MatchEvent
from arena.story.encoding import FrameEncoder, PartTable, finish_json, head_json
from arena.story.story import Story, follow
from arena.web.viewer.payload import seat_marks, translate_faults

_LOG = structlog.get_logger("web")
_KEPT_MESSAGES = 16
"""Spectators are told at the same moments, so nearly all of them lack the same."""
_SNAPSHOT_S = 0.5
_LEVEL = 5
_MOST_DIGITS = 10
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
        """Return whether the match has had any event."""
        return bool(self._events)

    def close(self) -> None:
        """Stop watching, and end the streams of the spectators."""
        self.is_over = self._is_closed = True
        self._end_watch()
        self.wake_all()

    def beat(self) -> None:
        """Release what is new to the spectators: until the next beat all of them get the same."""
        if not self._has_news:
            return
        with self._lock:
            self._has_news = False
            self.is_over = self._has_ended
            for live_story in self._stories.values():
                live_story.release()
        self.wake_all()

    def wake_all(self) -> None:
        """Wake every spectator to look for news."""
        for waker in self.wakers:
            waker.set()

    def begin(self, language: str) -> None:
        """Tell the match in a language from now on; called in a thread, because all past events are told first."""
        with self._lock:
            if language not in self._stories:
                live_story = LiveStory(language)
                for event in self._events:
                    live_story.take(event)
                live_story.release()
                self._stories[language] = live_story

    def message(self, language: str, place: str | None, *, only_latest: bool = False) -> tuple[str, bytes] | None:
        """Return a spectator's next place and the message that leads there, or None if nothing is new.

        Whoever is at no place that is known gets the whole story, or with `only_latest` its last position.
        """
        with self._lock:
            live_story = self._stories[language]
            if live_story.count == 0 or live_story.place == place:
                return None
            key = (language, place or f"none {only_latest}", live_story.place)
            if key not in self._messages:
                if place is not None and live_story.knows(place):
                    kind, data = "more", live_story.since(place)
                else:
                    kind, data = "story", {"story": live_story.latest() if only_latest else live_story.whole()}
                body = json.dumps(
                    {"match": self.match, "at": live_story.place, **data}, ensure_ascii=False, separators=(",", ":")
                )
                self._messages[key] = f"event: {kind}\ndata: {body}\n".encode()
                while len(self._messages) > _KEPT_MESSAGES:
                    self._messages.popitem(last=False)
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

    def _follow(self, watch: Watch) -> None:
        try:
            for event in watch(self.match):
                with self._lock:
                    if event.start is not None:
                        self._events.clear()
                    self._events.append(event)
                    for live_story in self._stories.values():
                        live_story.take(event)
                    self._has_news = True
        except Exception as error:  # the top of a thread: the spectators are told, and a new watch begins anew
            if not self._is_closed:
                _LOG.warning("a match is watched no longer", match=self.match, why=" ".join(str(error).split()))
                self.failure = error
        with self._lock:
            self._has_ended = self._has_news = True


class LiveStory:
    """What has been told of a match so far, of which spectators get what was released. No I/O; not safe for threads."""

    __slots__ = (
        "_encoder",
        "_end",
        "_frames",
        "_language",
        "_parts_after",
        "_shown",
        "_story",
        "_table",
        "attempt",
        "count",
    )

    def __init__(self, language: str) -> None:
        self._language = language
        self._begin_anew()
        self.attempt = 0

    def _begin_anew(self) -> None:
        self._story: Story | None = None
        self._table = PartTable()
        self._encoder = FrameEncoder(self._table)
        self._frames: list[dict[str, Any]] = []
        self._parts_after: list[int] = [0]
        self._shown: dict[int, int] = {}
        self._end: dict[str, Any] | None = None
        self.count = 0
        """How many events were released: the start, each ply, the end."""

    @property
    def place(self) -> str:
        """Return the place behind the last event that was released."""
        return f"{self.attempt}.{self.count}"

    def take(self, event: MatchEvent) -> None:
        """Tell one more event. Raises StoryError if the match cannot be followed here."""
        if event.start is not None:
            self._begin_anew()
            self.attempt = event.start.attempt
        story = self._story = follow(self._story, event, self._language, hides=True)
        if event.end is None:
            frame = self._encoder.encode(story.frames[-1])
            translate_faults(frame, self._language)
            self._frames.append(frame)
            self._parts_after.append(len(self._table.parts))
        elif story.finish is not None:
            self._end = finish_json(story.finish)
            translate_faults(self._end, self._language)

    def release(self) -> None:
        """Release everything told so far to the spectators."""
        for frame in self._frames[self.count :]:
            changes = frame.get("parts", ())
            self._shown |= dict(zip(changes[::2], changes[1::2], strict=True))
        self.count = len(self._frames) + (self._end is not None)

    def knows(self, place: str | None) -> bool:
        """Return whether a spectator can go on from a place."""
        attempt, _, count = (place or "").partition(".")
        is_number = count.isascii() and count.isdecimal() and len(count) < _MOST_DIGITS
        return attempt == str(self.attempt) and is_number and 0 < int(count) <= self.count

    def since(self, place: str) -> dict[str, Any]:
        """Return what a spectator at a known place lacks: frames, the parts they need, and the end."""
        first_count = int(place.partition(".")[2])
        known = self._parts_after[min(first_count, len(self._frames))]
        return {
            "frames": self._frames[first_count : self.count],
            "parts": self._parts[known:],
            "end": self._released_end,
        }

    def whole(self) -> dict[str, Any]:
        """Return the match so far as a story, in the form of `arena.story.encoding`."""
        return self._story_of(self._frames[: self.count], self._parts)

    def latest(self) -> dict[str, Any]:
        """Return a story of the last position alone, for small boards; parts that it does not show are null."""
        shown = set(self._shown.values())
        parts = [part if number in shown else None for number, part in enumerate(self._parts)]
        last = self._frames[min(self.count, len(self._frames)) - 1]
        frame = {**last, "parts": [value for pair in self._shown.items() for value in pair]}
        return self._story_of([frame], parts)

    @property
    def _parts(self) -> list[str]:
        return self._table.parts[: self._parts_after[min(self.count, len(self._frames))]]

    @property
    def _released_end(self) -> dict[str, Any] | None:
        return self._end if self.count > len(self._frames) else None

    def _story_of(self, frames: Sequence[Mapping[str, Any]], parts: Sequence[str | None]) -> dict[str, Any]:
        assert self._story is not None
        return {
            **head_json(self._story),
            "parts": parts,
            "frames": frames,
            "end": self._released_end,
            **seat_marks(self._story.start),
        }
