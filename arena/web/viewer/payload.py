"""What the viewer gets of a match: its story in the compact form, who plays, the words of its script. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from arena.i18n.catalogue import translate, words
from arena.match.result import FaultCause
from arena.model.live import LiveStart, MatchEvent
from arena.model.matches import MatchDetail
from arena.story.encoding import PartTable, encode, parts_at
from arena.story.story import Story
from arena.web.drawing.identicons import mark_of
from engine import registry
from engine.abilities import View
from engine.chance import SeededChance
from engine.core import EngineError
from engine.picture import Picture

Persons = Mapping[int, str]
"""What people call themselves, by seat: they are called so, not as the accounts by which they play."""
NOBODY: Final[Persons] = {}
_TEXTS: Final[Mapping[str, Sequence[str]]] = {
    "viewer.start": (),
    "viewer.place": ("ply", "last"),
    "viewer.place_turn": ("ply", "last", "turn"),
    "viewer.value": (),
    "viewer.clock": (),
    "viewer.scoring": (),
    "viewer.scored": ("step", "steps"),
    "viewer.fault": ("bot", "cause"),
    "viewer.by_forced": (),
    "viewer.by_opening": (),
    "viewer.by_caretaker": (),
}
"""Each text with its places, which stay places: the script fills them."""


def viewer_document(story: Story, table: PartTable | None = None) -> dict[str, Any]:
    """Return a story as `arena.story.encoding.encode` does, with the mark and the colour of who sits in each seat.

    What is said of faults is in the language of the story.
    """
    document = encode(story, table)
    for place in (*document["frames"], document["end"] or {}):
        translate_faults(place, story.language)
    return {**document, **seat_marks(story.start)}


def translate_faults(place: Mapping[str, Any], language: str) -> None:
    """Translate the explanations of the faults of a frame or an end."""
    for fault in place.get("faults", ()):
        fault["explanation"] = translate(fault["explanation"], language)


def seat_marks(start: LiveStart) -> dict[str, list[str]]:
    """Return for each seat the mark of its bot and its colour on the board; without one, the colour of the mark."""
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


def persons_of(match: MatchDetail) -> Persons:
    """Return the people in a match; most matches have none."""
    return {seat.seat: seat.person for seat in match.seats if seat.person}


def with_persons(document: Mapping[str, Any], persons: Persons) -> Mapping[str, Any]:
    """Return a replay with the names of people in their seats."""
    if not persons:
        return document
    seats = [{**seat, "name": persons.get(number, seat["name"])} for number, seat in enumerate(document["seats"])]
    return {**document, "seats": seats}


def event_with_persons(event: MatchEvent, persons: Persons) -> MatchEvent:
    """Return an event of a match under way that names people as they call themselves."""
    if event.start is None or not persons:
        return event
    bots = tuple(persons.get(number, bot) for number, bot in enumerate(event.start.bots))
    return replace(event, start=replace(event.start, bots=bots))


def viewer_words(language: str) -> dict[str, str]:
    """Return the texts of the viewer's script by the last part of their ids; causes of faults as `fault_timeout`."""
    say = words(language).say
    texts = {
        text_id.partition(".")[2]: say(text_id, **{name: "{" + name + "}" for name in names})
        for text_id, names in _TEXTS.items()
    }
    return texts | {f"fault_{cause.lower()}": say(f"fault.{cause.lower()}") for cause in FaultCause}


@cache
def board_size(game: str, seats: int) -> tuple[int, int] | None:
    """Return width and height of a game's pictures; `None` if it draws none."""
    try:
        found = registry.get(game)
        start = found.new_state(seats, found.parse_options({}), SeededChance(0))
        picture = found.shown.picture(start, View())
    except EngineError:
        return None
    return picture.width, picture.height
