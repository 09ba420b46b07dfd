"""A story as one compact JSON document, for viewers that step through it. Pure.

    format, schema    "arena.story", 1
    match_id, game, title, language, clock, started_at_us
    seats, called     who plays each seat; how the game calls it (a house, a letter)
    picture           width, height, style, defs: the same for every position; null if the game draws none
    parts             every distinct part of a picture, once
    frames            one per position, the start first; what is empty is left out:
        ply, seat, action, words, chance ([kind, values] each), by, elapsed_us, charged_us, remaining_us, note, turn,
        values (thousandths), faults, decider; title, the picture in words, or text, the position of a game that draws
        none; and
        parts         [slot, part, slot, part, ...]: which slots of the picture now show which of `parts`
    end               null while the match goes on; else ranks, by_rules, forfeits, resigned, faults, details, lost,
                      and scoring: label, points, sums, others, note of each step

A picture is drawn by taking the parts of the frames up to it, the later over the earlier, slot by slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from arena.model.matches import FaultFact
from arena.story.story import Finish, Frame, Story

FORMAT = "arena.story"
SCHEMA = 1


class PartTable:
    """Numbers distinct parts of pictures in the order in which they come; several stories may share one."""

    __slots__ = ("_numbers", "parts")

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.parts: list[str] = []

    def number(self, part: str) -> int:
        """Return the number of a part, a new one if it was not seen before."""
        number = self._numbers.setdefault(part, len(self.parts))
        if number == len(self.parts):
            self.parts.append(part)
        return number


class FrameEncoder:
    """Encodes the frames of one story, each by what changed since the one before."""

    __slots__ = ("_shown", "_table", "_title")

    def __init__(self, table: PartTable) -> None:
        self._table = table
        self._shown: list[int] = []
        self._title = ""

    def encode(self, frame: Frame) -> dict[str, Any]:
        """Return the next frame as JSON data."""
        data: dict[str, Any] = {"ply": frame.ply, "decider": frame.decider, **_filled(frame)}
        if frame.picture is not None:
            numbers = [self._table.number(part) for part in frame.picture.parts]
            before = [*self._shown, *[-1] * (len(numbers) - len(self._shown))]
            changed = [part for slot, number in enumerate(numbers) if number != before[slot] for part in (slot, number)]
            self._shown = numbers
            if changed:
                data["parts"] = changed
            if frame.picture.title != self._title:
                data["title"] = self._title = frame.picture.title
        return data


def frame_json(frame: Frame) -> dict[str, Any]:
    """Return everything about a ply but its picture as JSON data for programs; empty values are null."""
    return {
        "ply": frame.ply,
        "seat": frame.seat,
        "bot": frame.bot,
        "action": frame.action,
        "words": list(frame.words),
        "chance": [{"kind": seen.kind, "values": list(seen.values)} for seen in frame.chance],
        "by": frame.by,
        "elapsed_us": frame.elapsed_us,
        "charged_us": frame.charged_us,
        "remaining_us": frame.remaining_us and list(frame.remaining_us),
        "note": frame.note,
        "faults": [fault_json(fault) for fault in frame.faults],
        "turn": frame.turn,
        "values": frame.values and [round(value, 3) for value in frame.values],
        "decider": frame.decider,
    }


def _filled(frame: Frame) -> dict[str, Any]:
    values = frame.values and [round(1000 * value) for value in frame.values]
    data = {
        "seat": frame.seat,
        "action": frame.action or None,
        "words": list(frame.words) or None,
        "chance": [[seen.kind, list(seen.values)] for seen in frame.chance] or None,
        "by": frame.by or None,
        "elapsed_us": frame.elapsed_us,
        "charged_us": frame.charged_us,
        "remaining_us": frame.remaining_us and list(frame.remaining_us),
        "note": frame.note or None,
        "turn": frame.turn,
        "values": values,
        "faults": [fault_json(fault) for fault in frame.faults] or None,
        "text": frame.text or None,
    }
    return {name: value for name, value in data.items() if value is not None}


def fault_json(fault: FaultFact) -> dict[str, Any]:
    """Return what everybody may know of a fault as JSON data."""
    return {"seat": fault.seat, "cause": fault.cause, "ply": fault.ply, "explanation": fault.explanation}


def finish_json(finish: Finish) -> dict[str, Any]:
    """Return how a match ended as JSON data."""
    end = finish.end
    return {
        "ranks": list(end.ranks),
        "by_rules": end.by_rules,
        "forfeits": list(end.forfeits),
        "resigned": list(end.resigned),
        "faults": [fault_json(fault) for fault in end.faults],
        "details": dict(end.details),
        "lost": end.lost,
        "scoring": [asdict(step) for step in finish.scoring],
    }


def head_json(story: Story) -> dict[str, Any]:
    """Return the part of an encoded story that comes before its frames."""
    start, picture = story.start, story.frames[0].picture
    shared = ("width", "height", "style", "defs")
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "match_id": start.match_id,
        "game": start.game,
        "title": story.game.title,
        "language": story.language,
        "seats": list(start.bots),
        "called": list(story.called),
        "clock": dict(start.clock),
        "started_at_us": start.started_at_us,
        "picture": None if picture is None else {name: getattr(picture, name) for name in shared},
    }


def encode(story: Story, table: PartTable | None = None) -> dict[str, Any]:
    """Return a whole story as JSON data; with a `table` that others share, `parts` is left out."""
    own = PartTable() if table is None else table
    encoder = FrameEncoder(own)
    frames = [encoder.encode(frame) for frame in story.frames]
    parts = {"parts": own.parts} if table is None else {}
    end = None if story.finish is None else finish_json(story.finish)
    return {**head_json(story), **parts, "frames": frames, "end": end}


def parts_at(document: Mapping[str, Any], number: int) -> list[str]:
    """Return the parts of the picture of frame `number` of an encoded story: what a viewer shows."""
    shown: dict[int, str] = {}
    for frame in document["frames"][: number + 1]:
        changes = frame.get("parts", ())
        shown |= {slot: document["parts"][part] for slot, part in zip(changes[::2], changes[1::2], strict=True)}
    return [shown[slot] for slot in sorted(shown)]
