"""A position as JSON: the writing side. `position_reader` is its inverse; the keys are documented in the manual."""

from __future__ import annotations

from typing import Any, Final

from engine.games.rex_romanorum.actions import ACTIONS, FIGURE_COUNT, KINDS
from engine.games.rex_romanorum.board import DIOCESES, REGION_COUNT, REGIONS, TITLES, regions_of
from engine.games.rex_romanorum.options import OPTIONS
from engine.games.rex_romanorum.position import COUNT, NOBODY, NOTHING, PHASES, Election, Position

JSON_VERSION: Final = 1
FIGURES: Final = tuple(f"{kind}:{region}" for kind in KINDS for region in REGIONS)
"""`K:mainz`: knights in Mainz, as in the notation of actions; the index is kind * 62 + region."""


def write_position(position: Position) -> dict[str, Any]:
    """The complete position, the order of the pile included."""
    return {**_write_open(position), "pile": _names(position.pile)}


def write_observation(position: Position) -> dict[str, Any]:
    """What everybody may see: everything but the order of the pile, of which set and size are shown (S8)."""
    return {**_write_open(position), "pile_set": _names(sorted(position.pile)), "pile_size": len(position.pile)}


def _write_open(position: Position) -> dict[str, Any]:
    return {
        "game": "rex_romanorum",
        "version": JSON_VERSION,
        "seats": position.seats,
        "options": OPTIONS.to_json(position.options),
        "phase": PHASES[position.phase],
        "seat": _seat(position.decider),
        "active": position.active,
        "round": position.round,
        "final": position.is_final,
        "king": _seat(position.king),
        "gold": list(position.gold),
        "titles": {title: _seat(seat) for title, seat in zip(TITLES, position.titles, strict=True)},
        "owners": {REGIONS[region]: position.owner[region] for region in regions_of(position.owned)},
        "churches": {diocese: _mask_names(position.churches[index]) for index, diocese in enumerate(DIOCESES)},
        "castles": _mask_names(position.castles),
        "figures": {FIGURES[i]: position.army[i] for i in range(FIGURE_COUNT) if position.army[i]},
        "discards": _names(position.discards),
        "drawn": _names(position.drawn),
        "pending": None if position.task == NOTHING else _write_pending(position),
        "election": None if position.election is None else _write_election(position.election),
    }


def _seat(seat: int) -> int | None:
    return None if seat == NOBODY else seat


def _names(regions: list[int]) -> list[str]:
    return [REGIONS[region] for region in regions]


def _mask_names(mask: int) -> list[str]:
    return _names(regions_of(mask))


def _write_pending(position: Position) -> dict[str, Any]:
    """The action that is being carried out."""
    return {
        "action": ACTIONS.names[position.task],
        "bought": _mask_names(position.fresh),
        "built": [ACTIONS.names[building] for building in position.built],
        "source": _figures(position.source),
        "target": _target(position),
        "last": _figures(position.last),
        "last_to": None if position.last_to == NOTHING else REGIONS[position.last_to],
        "arrived": {FIGURES[i]: position.arrived[i] for i in sorted(position.arrived)},
        "undefended": _mask_names(position.undefended),
        "contested": _mask_names(position.contested),
    }


def _figures(figures: int) -> str | None:
    return None if figures == NOTHING else FIGURES[figures]


def has_figures_as_target(position: Position) -> bool:
    """Whether `target` is kind * 62 + region, not a region: when figures are placed, not moved."""
    return position.phase == COUNT and position.source == NOTHING


def _target(position: Position) -> str | None:
    if position.target == NOTHING:
        return None
    names = FIGURES if has_figures_as_target(position) else REGIONS[:REGION_COUNT]
    return names[position.target]


def _write_election(election: Election) -> dict[str, Any]:
    return {
        "diocese": None if election.diocese == NOTHING else DIOCESES[election.diocese],
        "asked": list(election.asked),
        "at": election.at,
        "candidates": list(election.candidates),
        "ballot": list(election.ballot),
        "runoff": election.is_runoff,
        "votes": list(election.votes),
        "cast": election.cast,
        "lowest": election.lowest,
        "elector": election.elector,
        "offers": list(election.offers),
    }
