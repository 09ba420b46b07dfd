"""Seats for people: a table is a match in which at least one seat is a person's, who plays it in a browser.

A person sits in a guest: one of a bounded number of remote bots of one owner, which are used again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ratings.values.owners import PEOPLE, stored_bot_name

GUEST_VERSION = "1"
"""The one version of each guest: people have none."""
LONGEST_NAME = 40
"""How many characters of a person's name are kept."""


def guest_names(most: int) -> tuple[str, ...]:
    """Return the plain names of the guests of a service at which so many people may sit at once."""
    return tuple(f"guest-{number}" for number in range(1, most + 1))


def guest_bot(name: str) -> str:
    """Return what everybody calls the guest of that plain name."""
    return stored_bot_name(PEOPLE, name)


def is_guest(bot: str) -> bool:
    """Return whether a bot of that whole name stands for a person."""
    return bot.startswith(stored_bot_name(PEOPLE, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayLimits:
    """What people may do who play in their browsers."""

    most: int
    """How many may sit at once; 0 for nobody."""
    idle_s: float = 1800.0
    """How long a person may take for a decision before the seat resigns."""
    per_visitor: int = 4
    """How many seats one visitor may hold at once."""
    per_hour: int = 30
    """How many tables one address may open within an hour."""
    rated: bool = False
    """Whether people may play rated matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """A match that people play in a browser, perhaps against bots."""

    game: str
    bots: tuple[str, ...]
    """Who sits where, one for each seat: the whole name of a guest, or a bot: a name (the version that plays on
    ladders, if there is one) or `name@hash`."""
    people: tuple[str, ...]
    """What people call themselves, one for each seat; empty for a bot. It is kept with the match."""
    time: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game; values may be texts."""
    rated: bool = False


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """A table that was written just now; its match begins when everybody is there."""

    tournament: str
    """The name of the tournament that holds its one match."""
    match_id: str
