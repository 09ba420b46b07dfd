"""The form by which a visitor orders a table: what can be chosen, and what was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.hosting.sample_bots import sample_names
from arena.model.port import ShownArena
from arena.web.people.values import TableClock, TableOrder
from engine import registry
from engine.core import Game

PERSON = "?person"
"""What stands for a person where a bot may be chosen; no bot can have this name."""
INVITED = "?invited"
"""What stands for a person who comes by a link."""
MOST_OFFERED = 100
"""How many bots a visitor may choose from: those added last."""
_LONGEST_BOT = 200
"""No name is as long; what is wrong is written to the service's log."""
_SAMPLES = ("greedy", "search", "random")
"""Whom somebody plays against who says nothing: the first ones that are there, in turn."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a game of which one of some values is chosen."""

    name: str
    title: str
    values: tuple[str, ...]
    usual: str


def choices_of(game: Game) -> list[Choice]:
    """Return the options of a game that a form can ask for."""
    properties: Mapping[str, Any] = game.options_schema().get("properties", {})
    return [
        Choice(name, about.get("description", name), tuple(map(_text, about["enum"])), _text(about["default"]))
        for name, about in properties.items()
        if "enum" in about
    ]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def offered_bots(arena: ShownArena, game: str) -> list[str]:
    """Return bots that a visitor can play against at once, the samples first."""
    found = arena.overview.list_opponents(game, MOST_OFFERED)
    samples = [name for name in _SAMPLES if name in found]
    return list(dict.fromkeys([*samples, *(name for name in sample_names() if name in found), *found]))


def quick_order(form: Mapping[str, str], offered: Sequence[str]) -> TableOrder:
    """Return a table of a game against the samples, of as many seats as a form says, or the fewest.

    Raises UnknownGameError.
    """
    game = registry.get_listed(form.get("game", ""))
    wanted = form.get("seats", "")
    seats = int(wanted) if wanted in {str(count) for count in game.seats} else game.seats[0]
    bots = [name for name in _SAMPLES if name in offered] or offered[:1]
    others = (bots[seat % len(bots)] if bots else None for seat in range(seats - 1))
    return TableOrder(game=game.name, sitting=(None, *others))


def read_order(form: Mapping[str, str]) -> TableOrder:
    """Return the table that a form asks for. Raises the errors of the engine for a game or seats that there are not."""
    game = registry.get_listed(form.get("game", ""))
    seats = next((count for count in game.seats if str(count) == form.get("seats")), 0)
    game.check_seats(seats)
    chosen = [form.get(f"seat{seat}", PERSON)[:_LONGEST_BOT] for seat in range(seats)]
    sitting = tuple(None if one in (PERSON, INVITED) else one for one in chosen)
    names = tuple(form.get(f"name{seat}", "") for seat, bot in enumerate(sitting) if bot is None)
    pace = form.get("pace", "")
    invited = [seat for seat, one in enumerate(chosen) if one == INVITED]
    if PERSON not in chosen:
        invited = invited[1:]  # whoever orders a table plays at it
    options = {one.name: form[name] for one in choices_of(game) if (name := f"option_{one.name}") in form}
    game.parse_options(options)
    return TableOrder(
        game=game.name,
        sitting=sitting,
        names=names,
        pace=TableClock(pace) if pace in set(TableClock) else TableClock.GENEROUS,
        options=options,
        rated=form.get("rated") == "yes",
        invited=tuple(invited),
    )
