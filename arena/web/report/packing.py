"""Packs matches as the viewer takes them, so that hundreds fit into one file. Pure; `js/unpack.js` is the inverse.

Figures are rounded to what the viewer shows: times to milliseconds, what is left on clocks to tenths of a second,
values to hundredths. A match is a row of columns, each a count and so many whole numbers, zigzag and LEB128:

    events, elapsed (ms + 1, 0 for none), remaining (tenths of a second, seat by seat, as differences to the position
    before), notes (text + 1), deciders (+ 1), turns (differences; empty if none are counted), values (hundredths, seat
    by seat, differences; empty if the game has none), texts (of games that draw nothing)
    changes (how many slots change), slots (differences within a position), kinds, and details of the changes

A change is of kind 0, the slot shows again what it showed before; or 1, what it showed when this event was seen last;
or it names template + 2 and how many of its holes differ from the last part of that template in that slot, or
anywhere; the details are those holes (differences) and values. What slots showed is remembered from match to match, so
that matches are unpacked in their order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.web.report.tables import Events, Filled, Strings, Templates

_HEAD = ("match_id", "game", "title", "language", "seats", "clock", "started_at_us", "marks", "colours")


class Packer:
    """Takes matches one by one; `head` and `columns` are what is stored at the end."""

    def __init__(self) -> None:
        self._strings = Strings()
        self._templates = Templates(self._strings)
        self._events = Events(self._strings)
        self._pictures: list[Any] = []
        self._matches: list[dict[str, Any]] = []
        self._columns = bytearray()
        self._slots: dict[int, _Slot] = {}
        self._anywhere: dict[int, Sequence[int]] = {}

    def add(self, document: Mapping[str, Any]) -> None:
        """Take a match, a document as `arena.web.viewing.document.viewer_document` makes it."""
        frames = document["frames"]
        head = {name: document[name] for name in _HEAD}
        faults = {at: frame["faults"] for at, frame in enumerate(frames) if "faults" in frame}
        events = [self._events.number(frame) for frame in frames]
        columns = [events, *self._told(frames), *self._drawn(document, events)]
        packed = b"".join(varints([len(column), *column]) for column in columns)
        head |= {"end": document["end"], "faults": faults, "picture": self._picture(document["picture"])}
        self._matches.append(head | {"at": len(self._columns), "bytes": len(packed)})
        self._columns += packed

    def head(self) -> bytes:
        """Return everything but the columns, as JSON."""
        tables = {
            "templates": self._templates.to_json(),
            "events": self._events.events,
            "pictures": self._pictures,
            "matches": self._matches,
            "strings": self._strings.texts,
        }
        return json.dumps(tables, ensure_ascii=False, separators=(",", ":")).encode()

    def columns(self) -> bytes:
        """Return the columns of all matches, one match after another."""
        return bytes(self._columns)

    def _picture(self, picture: Any) -> int | None:
        if picture is None:
            return None
        if picture not in self._pictures:
            self._pictures.append(picture)
        return self._pictures.index(picture)

    def _told(self, frames: Sequence[Mapping[str, Any]]) -> Iterator[list[int]]:
        number = self._strings.number
        yield [1 + frame["elapsed_us"] // 1000 if "elapsed_us" in frame else 0 for frame in frames]
        yield _differences([left // 100_000 for left in frame.get("remaining_us", ())] for frame in frames)
        yield [1 + number(frame["note"]) if "note" in frame else 0 for frame in frames]
        yield [0 if frame["decider"] is None else 1 + frame["decider"] for frame in frames]
        yield _differences([frame["turn"]] if "turn" in frame else [] for frame in frames)
        yield _differences([round(value / 10) for value in frame.get("values", ())] for frame in frames)
        yield [number(frame["text"]) for frame in frames if "text" in frame]

    def _drawn(self, document: Mapping[str, Any], events: Sequence[int]) -> Iterator[list[int]]:
        parts: Sequence[str] = document["parts"]
        counts, places, kinds, details = list[int](), list[int](), list[int](), list[int]()
        for frame, event in zip(document["frames"], events, strict=True):
            changes, before = frame.get("parts", ()), 0
            counts.append(len(changes) // 2)
            for place, part in zip(changes[::2], changes[1::2], strict=True):
                places.append(place - before)
                before = place
                slot = self._slots.setdefault(place, _Slot())
                slot.change(self._templates.filled(parts[part]), event, self._anywhere, kinds, details)
        yield from (counts, places, kinds, details)


class _Slot:
    """What a place in the order of drawing shows, and has shown."""

    __slots__ = ("_by_event", "_known", "_now", "_past")

    def __init__(self) -> None:
        self._now: Filled | None = None
        self._past: Filled | None = None
        self._by_event: dict[int, Filled] = {}
        self._known: dict[int, Sequence[int]] = {}

    def change(
        self, part: Filled, event: int, anywhere: dict[int, Sequence[int]], kinds: list[int], details: list[int]
    ) -> None:
        """Note that the slot shows another part now."""
        template, values = part
        if part == self._past:
            kinds.append(0)
        elif part == self._by_event.get(event):
            kinds.append(1)
        else:
            known = self._known.get(template) or anywhere.get(template) or [0] * len(values)
            changed = [hole for hole, (old, new) in enumerate(zip(known, values, strict=True)) if old != new]
            kinds += [2 + template, len(changed)]
            for hole, last in zip(changed, [0, *changed], strict=False):
                details += [hole - last, values[hole]]
        self._now, self._past = part, self._now
        self._by_event[event] = part
        self._known[template] = anywhere[template] = values


def _differences(rows: Iterable[Sequence[int]]) -> list[int]:
    """Return the numbers of each row as differences to the row before."""
    found: list[int] = []
    before: Sequence[int] = ()
    for row in rows:
        found += [new - old for new, old in zip(row, before or [0] * len(row), strict=True)] if row else []
        before = row or before
    return found


def varints(numbers: Iterable[int]) -> bytes:
    """Return whole numbers as zigzag LEB128."""
    packed = bytearray()
    for number in numbers:
        rest = 2 * number if number >= 0 else -2 * number - 1
        while rest > 127:
            packed.append(rest & 127 | 128)
            rest >>= 7
        packed.append(rest)
    return bytes(packed)
