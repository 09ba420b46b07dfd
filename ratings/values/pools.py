"""A pool: matches that are rated together, and which versions of bots can play in it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pool:
    """What all matches of a pool have in common."""

    pool_id: str
    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any]
    time_control: str
    cores: int
    remote: bool = False
    """Whether bots play in it that their authors run elsewhere: nobody vouches for their code or their clock."""


def games_of(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the games that a manifest names; `*`, which is every game, if it names none."""
    return tuple(manifest.get("games", ("*",)))


def plays(manifest: Mapping[str, Any], game: str, rules_version: str) -> bool:
    """Return whether a manifest names the game, and, if it states a version of its rules, states this one."""
    named = {"*", game}.intersection(games_of(manifest))
    return bool(named) and manifest.get("rules", {}).get(game, rules_version) == rules_version
