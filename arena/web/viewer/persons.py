"""People are called as they call themselves, on the board and beside it, not as the accounts by which they play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from arena.model.live import MatchEvent
from arena.model.matches import MatchDetail

Persons = Mapping[int, str]
"""What people call themselves, by seat."""
NOBODY: Final[Persons] = {}


def persons_of(match: MatchDetail) -> Persons:
    """Return the people in a match; most matches have none."""
    return {seat.seat: seat.person for seat in match.seats if seat.person}


def with_persons(document: Mapping[str, Any], persons: Persons) -> Mapping[str, Any]:
    """Return a replay in whose seats people sit by name."""
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
