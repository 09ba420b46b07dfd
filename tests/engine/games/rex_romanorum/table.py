"""Lays tables by hand: only what a test is about is given, the rest is made to add up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.chance import RecordingChance, ScriptedChance
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.board import REGIONS
from engine.games.rex_romanorum.state import RexState

LAND_TITLES = {
    "pfalz": ["kurpfalz"],
    "sachsen": ["sachsen", "thueringen vogtland lausitz"],
    "brandenburg": ["brandenburg", "altmark neumark"],
    "boehmen": ["nordboehmen", "suedboehmen"],
}


def lay(
    seats: int = 2,
    *,
    land: Mapping[int, str] | None = None,
    figures: Mapping[str, str] | None = None,
    castles: str = "",
    churches: Mapping[str, str] | None = None,
    titles: Mapping[str, int] | None = None,
    gold: Sequence[int] | None = None,
    pile: str | None = None,
    active: int = 0,
    options: Mapping[str, Any] | None = None,
    chance: Sequence[Sequence[int]] = (),
    **values: Any,
) -> RexState:
    """A position in TURN of seat `active` unless `phase` is given.

    `land` has the regions of each seat, `figures` armies like "3F1K" by region, `churches` those built beside the first
    three. Titles of land go to who owns it. `pile` names the top of the pile; the other cards lie under it.
    `chance` are the outcomes to come.
    """
    data = GAME.new_state(seats, GAME.parse_options(options or {})).to_json()
    data |= {"active": active, "seat": active}
    data["owners"] = {region: seat for seat, regions in (land or {}).items() for region in regions.split()}
    data["figures"] = {
        f"{kind}:{region}": int(number)
        for region, army in (figures or {}).items()
        for number, kind in re.findall(r"(\d+)([FAK])", army)
    }
    data["castles"] = castles.split()
    for diocese, regions in (churches or {}).items():
        data["churches"][diocese] += regions.split()
    data["titles"] |= _land_titles(data["owners"]) | dict(titles or {})
    if gold is not None:
        data["gold"] = list(gold)
    discards = values.get("discards", [])
    left = [region for region in sorted(data["pile"]) if region not in data["owners"] and region not in discards]
    top = pile.split() if pile else []
    data["pile"] = top + [region for region in left if region not in top]
    return GAME.state_from_json(data | values, ScriptedChance(chance))


def _land_titles(owners: Mapping[str, int]) -> dict[str, int]:
    held = {}
    for title, conditions in LAND_TITLES.items():
        for seat in set(owners.values()):
            if all(any(owners.get(region) == seat for region in group.split()) for group in conditions):
                held[title] = seat
    return held


def play(state: RexState, notation: str) -> RexState:
    """Apply the actions written in `notation`, every one checked; the state itself is changed and returned."""
    for text in notation.split():
        state.apply(GAME.actions.parse(text))
    return state


def legal(state: RexState) -> list[str]:
    """The legal actions as they are written."""
    return [GAME.actions.format(action) for action in state.legal_actions()]


def phase(state: RexState) -> str:
    """The name of the phase."""
    return str(state.to_json()["phase"])


def army(state: RexState, region: str) -> str:
    """The figures of the region's owner, like "3F1K"."""
    figures = state.to_json()["figures"]
    return "".join(f"{figures[f'{kind}:{region}']}{kind}" for kind in "FAK" if f"{kind}:{region}" in figures)


def owner(state: RexState, region: str) -> int | None:
    """Who owns a region."""
    seat = state.to_json()["owners"].get(region)
    return None if seat is None else int(seat)


def holder(state: RexState, title: str) -> int | None:
    """Who holds a title."""
    seat = state.to_json()["titles"][title]
    return None if seat is None else int(seat)


def dice(*steps: str) -> list[list[int]]:
    """Throws written step by step, like "163 52", as outcomes."""
    return [[int(face)] for step in steps for face in step if face.isdigit()]


def chance_left(state: RexState) -> int:
    """How many scripted outcomes have not been drawn."""
    chance = state.chance
    assert isinstance(chance, ScriptedChance)
    return chance.remaining


def scripted(outcomes: Sequence[Sequence[int]]) -> RecordingChance:
    """A script that also remembers what was drawn of it."""
    return RecordingChance(ScriptedChance(outcomes))


def order_of(regions: str) -> list[int]:
    """The outcome of the first shuffle that puts these regions on top of the full pile."""
    top = [REGIONS.index(region) for region in regions.split()]
    return top + [index for index in range(len(REGIONS)) if index not in top]
