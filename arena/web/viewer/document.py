"""What the viewer gets of a match: its story in the compact form, with the marks of the bots. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.i18n.catalogue import translate
from arena.model.live import LiveStart
from arena.story.encoding import PartTable, encode, parts_at
from arena.story.story import Story
from arena.web.drawing.marks import mark_of
from engine import registry
from engine.picture import Picture


def viewer_document(story: Story, table: PartTable | None = None) -> dict[str, Any]:
    """Return a story as `arena.story.encoding.encode` does, with the mark and the colour of who sits in each seat.

    What is said of faults is in the language of the story.
    """
    document = encode(story, table)
    for place in (*document["frames"], document["end"] or {}):
        translate_faults(place, story.language)
    return {**document, **seat_marks(story.start)}


def translate_faults(place: Mapping[str, Any], language: str) -> None:
    """Say in a language what is said of the faults of a frame, or of an end."""
    for fault in place.get("faults", ()):
        fault["explanation"] = translate(fault["explanation"], language)


def seat_marks(start: LiveStart) -> dict[str, list[str]]:
    """Return seat by seat the mark of who plays, and the colour that the board gives the seat, or else that mark's."""
    marks = [mark_of(name) for name in start.bots]
    drawn = registry.get(start.game).shown.seat_colours
    colours = drawn[: len(marks)] if len(drawn) >= len(marks) else [mark.colour for mark in marks]
    return {"marks": [str(mark.svg(18)) for mark in marks], "colours": list(colours)}


def picture_at(document: Mapping[str, Any], number: int) -> Picture | None:
    """Return the picture of frame `number`; `None` if the game draws none."""
    shared = document["picture"]
    if shared is None:
        return None
    titles = [frame["title"] for frame in document["frames"][: number + 1] if "title" in frame]
    return Picture(**shared, title=titles[-1], parts=tuple(parts_at(document, number)))
