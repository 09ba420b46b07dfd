"""A match under way, told in one language: what a spectator lacks, from any place on. No I/O, no threads.

A place is `attempt.count`: how many events of which attempt somebody has. Whatever tells the match says the same at the
same place, so a spectator may go on after a break, be it that of his network or of the process that tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.model.live import MatchEvent
from arena.story.encoding import FrameEncoder, PartTable, finish_json, head_json
from arena.story.story import Story, follow
from arena.web.viewer.document import seat_marks, translate_faults

_MOST_DIGITS = 10


class LiveStory:
    """What has been told of a match so far, of which spectators get what was released. Not safe for threads."""

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
            self._add(self._encoder.encode(story.frames[-1]))
        elif story.finish is not None:
            self._end = finish_json(story.finish)
            translate_faults(self._end, self._language)

    def _add(self, frame: dict[str, Any]) -> None:
        translate_faults(frame, self._language)
        self._frames.append(frame)
        self._parts_after.append(len(self._table.parts))

    def release(self) -> None:
        """Let spectators have everything that was told so far."""
        for frame in self._frames[self.count :]:
            changes = frame.get("parts", ())
            self._shown |= dict(zip(changes[::2], changes[1::2], strict=True))
        self.count = len(self._frames) + (self._end is not None)

    def knows(self, place: str | None) -> bool:
        """Return whether somebody who is at a place can go on there."""
        attempt, _, count = (place or "").partition(".")
        is_number = count.isascii() and count.isdecimal() and len(count) < _MOST_DIGITS
        return attempt == str(self.attempt) and is_number and 0 < int(count) <= self.count

    def since(self, place: str) -> dict[str, Any]:
        """Return what somebody lacks who is at a place that is known: frames, the parts they need, and the end."""
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
