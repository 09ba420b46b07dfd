"""A position from JSON, checked: shapes first, then what must add up, then what the phase needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.chance import Chance
from engine.core import PositionError
from engine.games.rex_romanorum.actions import ACT_KING, ACTIONS, CASTLE, CHURCH, HIGHEST_COUNT
from engine.games.rex_romanorum.board import (
    DIOCESES,
    REGION_COUNT,
    REGION_INDEX,
    TITLE_COUNT,
    TITLES,
    mask_of,
)
from engine.games.rex_romanorum.options import OPTIONS, Options
from engine.games.rex_romanorum.phase_check import check_phase, check_table
from engine.games.rex_romanorum.position import PHASES, Election, Position
from engine.games.rex_romanorum.position_json import FIGURES, JSON_VERSION, has_figures_as_target
from engine.games.rex_romanorum.state import RexState, new_state
from engine.kit.reading import (
    read_flag,
    read_header,
    read_int,
    read_ints,
    read_list,
    read_name,
    read_names,
    read_object,
    read_optional_name,
    read_optional_seat,
    read_options,
    read_seats,
    shown,
)

_OPEN_KEYS = (
    *("game", "version", "seats", "options", "phase", "seat", "active", "round", "final", "king", "gold", "titles"),
    *("owners", "churches", "castles", "figures", "discards", "drawn", "pending", "election"),
)
_PENDING_KEYS = (
    *("action", "bought", "built", "source", "target", "last", "last_to", "arrived", "undefended", "contested"),
)
_ELECTION_KEYS = (
    *("diocese", "asked", "at", "candidates", "ballot", "runoff", "votes", "cast", "lowest", "elector", "offers"),
)
_FIGURE_INDEX = {name: index for index, name in enumerate(FIGURES)}
_MOST = 1_000_000
"""No purse and no army is larger."""


def read_position(data: Mapping[str, Any], chance: Chance | None = None) -> RexState:
    """The position that `write_position` wrote. Raises PositionError naming the key."""
    read_header(data, "rex_romanorum", JSON_VERSION, (*_OPEN_KEYS, "pile"))
    position = _read_open(data, chance)
    position.pile = _regions(data["pile"], "pile")
    _check(position)
    return position


def read_observation(data: Mapping[str, Any]) -> RexState:
    """A position that looks like what `write_observation` wrote, its pile sorted. Raises PositionError."""
    read_header(data, "rex_romanorum", JSON_VERSION, (*_OPEN_KEYS, "pile_set", "pile_size"))
    position = _read_open(data, None)
    position.pile = _regions(data["pile_set"], "pile_set")
    read_int(data["pile_size"], "pile_size", len(position.pile), len(position.pile))
    _check(position)
    return position


def _read_figures(value: Any, key: str) -> dict[int, int]:
    if not isinstance(value, Mapping):
        raise PositionError(f"{key}: expected an object like {{'F:mainz': 3}}, not {shown(value)}")
    pairs = value.items()
    return {read_name(name, key, _FIGURE_INDEX): read_int(number, f"{key}.{name}", 1, _MOST) for name, number in pairs}


def _regions(value: Any, key: str) -> list[int]:
    return read_names(value, key, REGION_INDEX)


def _read_open(data: Mapping[str, Any], chance: Chance | None) -> RexState:
    position = new_state(read_options(data["options"], _parse_options), read_int(data["seats"], "seats", 2, 5), chance)
    _read_frame(position, data)
    _read_board(position, data)
    if data["pending"] is not None:
        _read_pending(position, read_object(data["pending"], "pending", _PENDING_KEYS))
    if data["election"] is not None:
        position.election = _read_election(read_object(data["election"], "election", _ELECTION_KEYS), position.seats)
    return position


@lru_cache(maxsize=64)
def _parse_options(text: str) -> Options:
    return OPTIONS.parse(json.loads(text))


def _read_frame(position: Position, data: Mapping[str, Any]) -> None:
    seats = position.seats
    position.phase = read_name(data["phase"], "phase", PHASES)
    position.decider = read_optional_seat(data["seat"], "seat", seats)
    position.active = read_int(data["active"], "active", 0, seats - 1)
    position.round = read_int(data["round"], "round", 1, position.options.round_limit)
    position.is_final = read_flag(data["final"], "final")
    position.king = read_optional_seat(data["king"], "king", seats)
    position.gold = read_ints(data["gold"], "gold", seats, _MOST)
    titles = read_object(data["titles"], "titles", TITLES)
    position.titles = [read_optional_seat(titles[title], f"titles.{title}", seats) for title in TITLES]
    position.discards = _regions(data["discards"], "discards")
    position.drawn = _regions(data["drawn"], "drawn")


def _read_board(position: Position, data: Mapping[str, Any]) -> None:
    if not isinstance(data["owners"], Mapping):
        raise PositionError(f"owners: expected an object like {{'mainz': 0}}, not {shown(data['owners'])}")
    for name, seat in data["owners"].items():
        region = read_name(name, "owners", REGION_INDEX)
        position.owner[region] = read_int(seat, f"owners.{name}", 0, position.seats - 1)
    for seat in range(position.seats):
        position.land[seat] = mask_of([region for region in range(REGION_COUNT) if position.owner[region] == seat])
    position.owned = sum(position.land)
    churches = read_object(data["churches"], "churches", DIOCESES)
    position.churches = [mask_of(_regions(churches[diocese], f"churches.{diocese}")) for diocese in DIOCESES]
    position.castles = mask_of(_regions(data["castles"], "castles"))
    for figures, number in _read_figures(data["figures"], "figures").items():
        position.army[figures] = number
    for kind in range(3):
        army = position.army[kind * REGION_COUNT : (kind + 1) * REGION_COUNT]
        position.standing[kind] = mask_of([region for region in range(REGION_COUNT) if army[region]])


def _read_pending(position: Position, pending: Mapping[str, Any]) -> None:
    position.task = read_name(pending["action"], "pending.action", ACTIONS.names[: ACT_KING + 1])
    position.fresh = mask_of(_regions(pending["bought"], "pending.bought"))
    position.built = _read_built(pending["built"])
    position.source = read_optional_name(pending["source"], "pending.source", _FIGURE_INDEX)
    targets = _FIGURE_INDEX if has_figures_as_target(position) else REGION_INDEX
    position.target = read_optional_name(pending["target"], "pending.target", targets)
    position.last = read_optional_name(pending["last"], "pending.last", _FIGURE_INDEX)
    position.last_to = read_optional_name(pending["last_to"], "pending.last_to", REGION_INDEX)
    position.arrived = _read_figures(pending["arrived"], "pending.arrived")
    position.undefended = mask_of(_regions(pending["undefended"], "pending.undefended"))
    position.contested = mask_of(_regions(pending["contested"], "pending.contested"))


def _read_built(value: Any) -> list[int]:
    buildings = ACTIONS.names[CHURCH : CASTLE + REGION_COUNT]
    built = [CHURCH + read_name(name, "pending.built", buildings) for name in read_list(value, "pending.built")]
    if sorted(set(built)) != built:
        raise PositionError("pending.built: expected buildings in the order of the action table")
    return built


def _read_election(data: Mapping[str, Any], seats: int) -> Election:
    diocese = read_optional_name(data["diocese"], "election.diocese", DIOCESES)
    election = Election(diocese, read_seats(data["asked"], "election.asked", seats), seats)
    election.at = read_int(data["at"], "election.at", 0, seats)
    election.candidates = read_seats(data["candidates"], "election.candidates", seats)
    election.ballot = read_seats(data["ballot"], "election.ballot", seats)
    election.is_runoff = read_flag(data["runoff"], "election.runoff")
    election.votes = read_ints(data["votes"], "election.votes", seats, REGION_COUNT)
    election.cast = read_int(data["cast"], "election.cast", 0, REGION_COUNT)
    election.lowest = read_int(data["lowest"], "election.lowest", 0, seats - 1)
    election.elector = read_int(data["elector"], "election.elector", 0, TITLE_COUNT - 1)
    election.offers = read_ints(data["offers"], "election.offers", seats, HIGHEST_COUNT)
    return election


def _check(position: RexState) -> None:
    check_table(position)
    check_phase(position)
    if position.seat() is not None and not position.legal_actions():
        raise PositionError(f"phase {PHASES[position.phase]}: there is no legal action; somebody must be able to act")
