"""A position from JSON, checked: shapes first, then what must add up, then what the phase needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from engine.chance import Chance, SeededChance
from engine.core import OptionsError, PositionError
from engine.games.rex_romanorum.actions import ACT_KING, ACTIONS, CASTLE, CHURCH, HIGHEST_COUNT
from engine.games.rex_romanorum.board import (
    DIOCESES,
    REGION_COUNT,
    REGION_INDEX,
    TITLE_COUNT,
    TITLES,
    mask_of,
)
from engine.games.rex_romanorum.options import Options, parse_options
from engine.games.rex_romanorum.phase_check import check_phase, check_table
from engine.games.rex_romanorum.position import NOBODY, NOTHING, PHASES, Election, Position
from engine.games.rex_romanorum.position_json import FIGURES, JSON_VERSION, has_figures_as_target
from engine.games.rex_romanorum.state import RexState, new_state

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
    _object(data, "the position", (*_OPEN_KEYS, "pile"))
    position = _read_open(data, chance)
    position.pile = _regions(data["pile"], "pile")
    _check(position)
    return position


def read_observation(data: Mapping[str, Any]) -> RexState:
    """A position that looks like what `write_observation` wrote, its pile sorted. Raises PositionError."""
    _object(data, "the observation", (*_OPEN_KEYS, "pile_set", "pile_size"))
    position = _read_open(data, None)
    position.pile = _regions(data["pile_set"], "pile_set")
    _int(data["pile_size"], "pile_size", len(position.pile), len(position.pile))
    _check(position)
    return position


def determinize(observed: RexState, rng: Random) -> RexState:
    """A position like `observed` with the pile in an order, and a stream of chance, drawn from `rng`.

    Every order is as likely as every other: nobody has seen anything of it since it was shuffled.
    """
    position = observed.clone(SeededChance(rng.getrandbits(53)))
    rng.shuffle(position.pile)
    return position


def _int(value: Any, key: str, lowest: int, highest: int) -> int:
    if type(value) is not int or not lowest <= value <= highest:
        raise PositionError(f"{key}: expected an integer from {lowest} to {highest}, not {_shown(value)}")
    return value


def _flag(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise PositionError(f"{key}: expected true or false, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _one_of(value: Any, key: str, names: Mapping[str, int] | Sequence[str]) -> int:
    if not isinstance(value, str) or value not in names:
        shown = ", ".join(names) if len(names) < 20 else f"a name like {next(iter(names))}"
        raise PositionError(f"{key}: expected {shown}, not {_shown(value)}")
    return names[value] if isinstance(names, Mapping) else names.index(value)


def _optional(value: Any, key: str, names: Mapping[str, int] | Sequence[str]) -> int:
    return NOTHING if value is None else _one_of(value, key, names)


def _object(value: Any, key: str, names: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PositionError(f"{key}: expected an object, not {_shown(value)}")
    expected = set(names)
    for name in sorted(expected - set(value)):
        raise PositionError(f"{key}: the key {name!r} is missing")
    for name in sorted(set(value) - expected, key=str):
        raise PositionError(f"{key}: there is no key {name!r}")
    return value


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise PositionError(f"{key}: expected a list, not {_shown(value)}")
    return value


def _distinct(found: list[int], key: str) -> list[int]:
    if len(set(found)) != len(found):
        raise PositionError(f"{key}: something is named twice")
    return found


def _regions(value: Any, key: str) -> list[int]:
    return _distinct([_one_of(name, key, REGION_INDEX) for name in _list(value, key)], key)


def _seats(value: Any, key: str, seats: int) -> list[int]:
    return _distinct([_int(seat, key, 0, seats - 1) for seat in _list(value, key)], key)


def _amounts(value: Any, key: str, seats: int, most: int) -> list[int]:
    if len(_list(value, key)) != seats:
        raise PositionError(f"{key}: expected {seats} integers, not {_shown(value)}")
    return [_int(item, key, 0, most) for item in value]


def _figures(value: Any, key: str) -> dict[int, int]:
    if not isinstance(value, Mapping):
        raise PositionError(f"{key}: expected an object like {{'F:mainz': 3}}, not {_shown(value)}")
    return {
        _one_of(name, key, _FIGURE_INDEX): _int(number, f"{key}.{name}", 1, _MOST) for name, number in value.items()
    }


def _optional_seat(value: Any, key: str, seats: int) -> int:
    return NOBODY if value is None else _int(value, key, 0, seats - 1)


def _read_open(data: Mapping[str, Any], chance: Chance | None) -> RexState:
    if data["game"] != "rex_romanorum" or data["version"] != JSON_VERSION:
        raise PositionError(f"this reads positions of rex_romanorum, version {JSON_VERSION}")
    position = new_state(_read_options(data["options"]), _int(data["seats"], "seats", 2, 5), chance)
    _read_frame(position, data)
    _read_board(position, data)
    if data["pending"] is not None:
        _read_pending(position, _object(data["pending"], "pending", _PENDING_KEYS))
    if data["election"] is not None:
        position.election = _read_election(_object(data["election"], "election", _ELECTION_KEYS), position.seats)
    return position


def _read_options(value: Any) -> Options:
    if not isinstance(value, Mapping):
        raise PositionError(f"options: expected an object, not {_shown(value)}")
    try:
        return _parse_options(json.dumps(value))
    except (OptionsError, TypeError) as error:
        raise PositionError(f"options: {error}") from error


# A search reads the same options thousands of times.
@lru_cache(maxsize=64)
def _parse_options(text: str) -> Options:
    return parse_options(json.loads(text))


def _read_frame(position: Position, data: Mapping[str, Any]) -> None:
    seats = position.seats
    position.phase = _one_of(data["phase"], "phase", PHASES)
    position.decider = _optional_seat(data["seat"], "seat", seats)
    position.active = _int(data["active"], "active", 0, seats - 1)
    position.round = _int(data["round"], "round", 1, position.options.round_limit)
    position.is_final = _flag(data["final"], "final")
    position.king = _optional_seat(data["king"], "king", seats)
    position.gold = _amounts(data["gold"], "gold", seats, _MOST)
    titles = _object(data["titles"], "titles", TITLES)
    position.titles = [_optional_seat(titles[title], f"titles.{title}", seats) for title in TITLES]
    position.discards = _regions(data["discards"], "discards")
    position.drawn = _regions(data["drawn"], "drawn")


def _read_board(position: Position, data: Mapping[str, Any]) -> None:
    if not isinstance(data["owners"], Mapping):
        raise PositionError(f"owners: expected an object like {{'mainz': 0}}, not {_shown(data['owners'])}")
    for name, seat in data["owners"].items():
        region = _one_of(name, "owners", REGION_INDEX)
        position.owner[region] = _int(seat, f"owners.{name}", 0, position.seats - 1)
    for seat in range(position.seats):
        position.land[seat] = mask_of([region for region in range(REGION_COUNT) if position.owner[region] == seat])
    position.owned = sum(position.land)
    churches = _object(data["churches"], "churches", DIOCESES)
    position.churches = [mask_of(_regions(churches[diocese], f"churches.{diocese}")) for diocese in DIOCESES]
    position.castles = mask_of(_regions(data["castles"], "castles"))
    for figures, number in _figures(data["figures"], "figures").items():
        position.army[figures] = number
    for kind in range(3):
        army = position.army[kind * REGION_COUNT : (kind + 1) * REGION_COUNT]
        position.standing[kind] = mask_of([region for region in range(REGION_COUNT) if army[region]])


def _read_pending(position: Position, pending: Mapping[str, Any]) -> None:
    position.task = _one_of(pending["action"], "pending.action", ACTIONS.names[: ACT_KING + 1])
    position.fresh = mask_of(_regions(pending["bought"], "pending.bought"))
    position.built = _read_built(pending["built"])
    position.source = _optional(pending["source"], "pending.source", _FIGURE_INDEX)
    targets = _FIGURE_INDEX if has_figures_as_target(position) else REGION_INDEX
    position.target = _optional(pending["target"], "pending.target", targets)
    position.last = _optional(pending["last"], "pending.last", _FIGURE_INDEX)
    position.last_to = _optional(pending["last_to"], "pending.last_to", REGION_INDEX)
    position.arrived = _figures(pending["arrived"], "pending.arrived")
    position.undefended = mask_of(_regions(pending["undefended"], "pending.undefended"))
    position.contested = mask_of(_regions(pending["contested"], "pending.contested"))


def _read_built(value: Any) -> list[int]:
    buildings = ACTIONS.names[CHURCH : CASTLE + REGION_COUNT]
    built = [CHURCH + _one_of(name, "pending.built", buildings) for name in _list(value, "pending.built")]
    if sorted(set(built)) != built:
        raise PositionError("pending.built: expected buildings in the order of the action table")
    return built


def _read_election(data: Mapping[str, Any], seats: int) -> Election:
    diocese = _optional(data["diocese"], "election.diocese", DIOCESES)
    election = Election(diocese, _seats(data["asked"], "election.asked", seats), seats)
    election.at = _int(data["at"], "election.at", 0, seats)
    election.candidates = _seats(data["candidates"], "election.candidates", seats)
    election.ballot = _seats(data["ballot"], "election.ballot", seats)
    election.is_runoff = _flag(data["runoff"], "election.runoff")
    election.votes = _amounts(data["votes"], "election.votes", seats, REGION_COUNT)
    election.cast = _int(data["cast"], "election.cast", 0, REGION_COUNT)
    election.lowest = _int(data["lowest"], "election.lowest", 0, seats - 1)
    election.elector = _int(data["elector"], "election.elector", 0, TITLE_COUNT - 1)
    election.offers = _amounts(data["offers"], "election.offers", seats, HIGHEST_COUNT)
    return election


def _check(position: RexState) -> None:
    check_table(position)
    check_phase(position)
    if position.seat() is not None and not position.legal_actions():
        raise PositionError(f"phase {PHASES[position.phase]}: there is no legal action; somebody must be able to act")
