"""A position as JSON: the writing side. `position_reader` is its inverse; the keys are documented in the manual."""

from __future__ import annotations

from typing import Any, Final

from engine.games.foreign_king import state as at
from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.options import OPTIONS
from engine.games.foreign_king.state import Position

JSON_VERSION: Final = 1
PORTRAIT_NAME: Final = "portrait"
HAND_NAME: Final = "hand"
FACTORY_KEYS: Final = "MTmt"
"""Metallurgical and textile, active; then the same inactive, as packed in `Position.factories`."""


def write_position(s: Position) -> dict[str, Any]:
    """The complete position."""
    return {
        "game": "foreign_king",
        "version": JSON_VERSION,
        "seats": s.seats,
        "options": OPTIONS.to_json(s.options),
        "phase": at.PHASES[s.phase],
        "seat": s.to_act,
        "active": s.active,
        "round": s.round,
        "order": list(s.order),
        "king": PORTRAIT_NAME if s.king == PORTRAIT else PROVINCES[s.king],
        "marker": s.marker,
        "scores": list(s.scores),
        "hand": list(s.hand),
        "congress": s.congress[: s.seats],
        "discs": {name: s.discs[index::PROVINCE_COUNT] for index, name in enumerate(PROVINCES)},
        "francs": list(s.francs),
        "medals": [up + down for up, down in zip(s.medals_up, s.loans, strict=True)],
        "loans": list(s.loans),
        "pawns": [None if space < 0 else ACTIONS.names[space] for space in s.pawns],
        "factories": {name: unpack_factories(s.factories[index]) for index, name in enumerate(PROVINCES)},
        "supply": {"M": s.supply_m, "T": s.supply_t},
        "claims": list(s.claims),
        "pending": _pending(s),
    }


def unpack_factories(packed: int) -> dict[str, int]:
    """Factories of a province by their key."""
    return {key: packed >> 3 * place & 7 for place, key in enumerate(FACTORY_KEYS)}


def _pending(s: Position) -> dict[str, Any]:
    """What the phase needs beyond the table."""
    phase = s.phase
    if phase == at.PLACE_N or phase == at.KING_LEN:
        return {"province": PROVINCES[s.province]}
    if phase == at.MOVE_TO:
        return {"province": PROVINCES[s.province], "steps": s.steps, "last": _last_name(s)}
    if phase == at.CONGRESS_ASK:
        return {"asked": list(s.asked)}
    if phase == at.VIRT:
        return {"units": s.units}
    if phase == at.VIRT_TO:
        return {"units": s.units, "province": PROVINCES[s.province]}
    if phase == at.POST:
        return {"used": ACTIONS.names[s.post] if s.post else None}
    return {}


def _last_name(s: Position) -> str | None:
    if s.steps == 0:
        return None
    return HAND_NAME if s.last == PROVINCE_COUNT else PROVINCES[s.last]
