"""A pool: matches that are rated together, and which versions of bots can play in it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class RatingMethod(StrEnum):
    """What the live rating of a pool is computed by."""

    TRUESKILL = "trueskill"
    OPENSKILL = "openskill"

    @property
    def label(self) -> str:
        """Return the name as it is written, the same in all languages."""
        return {"trueskill": "TrueSkill", "openskill": "OpenSkill"}[self]

    @classmethod
    def _missing_(cls, value: object) -> RatingMethod | None:
        # An arena from when there was one method says nothing of it.
        return cls.TRUESKILL if value == "" else None


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
    rating_method: RatingMethod = RatingMethod.TRUESKILL

    @property
    def own_method(self) -> str:
        """Return the label of its rating method where that is not the usual one, else nothing."""
        return "" if self.rating_method is RatingMethod.TRUESKILL else self.rating_method.label


def games_of(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the games that a manifest names; `*`, which is every game, if it names none."""
    return tuple(manifest.get("games", ("*",)))


def plays(manifest: Mapping[str, Any], game: str, rules_version: str) -> bool:
    """Return whether a manifest names the game, and, if it states a version of its rules, states this one."""
    named = {"*", game}.intersection(games_of(manifest))
    return bool(named) and manifest.get("rules", {}).get(game, rules_version) == rules_version
