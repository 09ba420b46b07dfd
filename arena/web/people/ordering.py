"""The form by which a visitor orders a table: what can be chosen, and what was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from arena.client.arena import ArenaPort
from arena.client.errors import ClientError
from arena.hosting.sample_bots import sample_names
from arena.web.people.values import Order, Pace
from engine import registry
from engine.core import Game
from ratings.errors import RatingsError

PERSON = "?person"
"""What stands for a person where a bot may be chosen; no bot can have this name."""
MOST_OFFERED = 100
"""How many bots a visitor may choose from besides the samples: those added last."""

_LONGEST_BOT = 200
"""No name is as long; what is wrong is written to the service's log."""


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


def offered_bots(arena: ArenaPort, game: str) -> list[str]:
    """Return bots that a visitor may play against: the samples first. Whether one can play now is asked later."""
    listed = arena.bots.list_bots(limit=MOST_OFFERED).items
    fit = [one.name for one in listed if one.disabled_at_us is None and not one.remote and _plays(one.games, game)]
    return list(dict.fromkeys([*_samples(arena, game), *fit]))


def _samples(arena: ArenaPort, game: str) -> list[str]:
    found = []
    for name in sample_names():
        with suppress(ClientError, RatingsError):
            about = arena.bots.get_bot(name)
            if about.disabled_at_us is None and _plays(about.newest.manifest.get("games", ["*"]), game):
                found.append(name)
    return found


def _plays(games: Sequence[str], game: str) -> bool:
    return "*" in games or game in games


def read_order(form: Mapping[str, str]) -> Order:
    """Return the table that a form asks for. Raises the errors of the engine for a game or seats that there are not."""
    game = registry.get(form.get("game", ""))
    seats = whole(form.get("seats"))
    game.check_seats(seats)
    said = (form.get(f"seat{seat}", PERSON)[:_LONGEST_BOT] for seat in range(seats))
    sitting = tuple(None if bot == PERSON else bot for bot in said)
    names = tuple(form.get(f"name{seat}", "") for seat, bot in enumerate(sitting) if bot is None)
    pace = form.get("pace", "")
    return Order(
        game=game.name,
        sitting=sitting,
        names=names,
        pace=Pace(pace) if pace in set(Pace) else Pace.GENEROUS,
        options={one.name: form[name] for one in choices_of(game) if (name := f"option_{one.name}") in form},
        rated=form.get("rated") == "yes",
    )


def whole(text: str | None) -> int:
    """Return a number that a browser sent; -1, which stands for nothing, for anything else."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else -1
