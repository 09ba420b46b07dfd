"""The block of section 8 as checked JSON: the defaults of `choices.json` with a match's own values merged in (K14)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.core import OptionsError
from engine.folder import read_json
from engine.games.rex_romanorum.board import DIOCESES, REGION_INDEX, TITLES

KIND_NAMES: Final = ("foot", "archer", "knight")
SIDES: Final = ("att", "def")
TERRAINS: Final = ("field", "castle")
LAND_TITLES: Final = TITLES[3:]
"""The electors whose title comes with land: pfalz, sachsen, brandenburg, boehmen."""
HITS: Final = ("d6 <= value", "d6 >= value")
VARIANTS: Final = ("full", "short")

DEFAULTS: Final[Mapping[str, Any]] = {
    "variant": "full",
    **read_json(__file__, "choices.json"),
}

# The bounds are wide enough for any list the author may have had, and narrow enough to bound a game's length.
MOST_ROUNDS: Final = 300
MOST_GOLD: Final = 1000
MOST_BUILDINGS: Final = 10
MOST_CHURCHES: Final = 20
_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "start_gold": (0, MOST_GOLD),
    "region_price": (0, 100),
    "bishop_election_price": (0, 100),
    "king_election_price": (0, 100),
    "harvest": (0, 100),
    "harvest.cap": (0, MOST_GOLD),
    "church_price": (0, 100),
    "castle_price": (0, 100),
    "build": (0, MOST_BUILDINGS),
    "churches_per_diocese": (1, MOST_CHURCHES),
    "figures.foot.cost": (1, 100),
    "figures.archer.cost": (1, 100),
    "figures.knight.cost": (1, 100),
    "figures.foot.move": (1, 2),
    "figures.archer.move": (1, 2),
    "figures.knight.move": (1, 2),
    "votes_to_win": (1, len(TITLES)),
    "wealth": (0, 1000),
    "round_limit": (1, MOST_ROUNDS),
}


def merge(values: Mapping[str, Any]) -> dict[str, Any]:
    """The whole block with `values` in it, checked. A value may be a text: a number, or JSON for a block or a list.

    Raises OptionsError naming the option and what it takes.
    """
    merged = _merge_block("", DEFAULTS, values)
    for name in DIOCESES:
        _check_region(f"start_churches.{name}", merged["start_churches"][name])
    if len(set(merged["start_churches"].values())) != len(DIOCESES):
        raise OptionsError("option start_churches takes three different regions: a region holds one church")
    return merged


def _merge_block(path: str, defaults: Mapping[str, Any], values: Any) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise OptionsError(f"option {path} takes an object with any of {', '.join(defaults)}, not {values!r}")
    unknown = sorted(str(name) for name in values if name not in defaults)
    if unknown:
        where = f"option {path}" if path else "rex_romanorum"
        raise OptionsError(f"{where} has no {unknown[0]!r}; it has: {', '.join(defaults)}")
    prefix = f"{path}." if path else ""
    return {
        name: _merge_value(prefix + name, default, values[name]) if name in values else default
        for name, default in defaults.items()
    }


def _merge_value(path: str, default: Any, value: Any) -> Any:
    if isinstance(default, int):
        return _number(path, value)
    if isinstance(default, str):
        return _word(path, value)
    value = _from_text(path, value)
    if isinstance(default, Mapping):
        return _merge_block(path, default, value)
    return _LISTS[path.rpartition(".")[2] if path.startswith("figures.") else path.partition(".")[0]](path, value)


def _from_text(path: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise OptionsError(f"option {path} takes JSON, for example {json.dumps(_default(path))}") from None


def _default(path: str) -> Any:
    value: Any = DEFAULTS
    for name in path.split("."):
        value = value[name]
    return value


def _number(path: str, value: Any) -> int:
    low, high = _RANGES.get(path) or _RANGES[path.partition(".")[0]]
    text = str(value).strip()
    is_number = isinstance(value, (int, str)) and not isinstance(value, bool) and text.isascii() and text.isdigit()
    if is_number and len(text) <= 4 and low <= int(text) <= high:
        return int(text)
    raise OptionsError(f"option {path} takes {low} to {high}, not {value!r}")


def _word(path: str, value: Any) -> str:
    if path.startswith("start_churches."):
        return _check_region(path, value)
    allowed = VARIANTS if path == "variant" else HITS
    if value not in allowed:
        raise OptionsError(f"option {path} takes {' or '.join(allowed)}, not {value!r}")
    return str(value)


def _check_region(path: str, value: Any) -> str:
    if not isinstance(value, str) or value not in REGION_INDEX:
        raise OptionsError(f"option {path} takes the id of a region, not {value!r}")
    return value


def _strength(path: str, value: Any) -> list[int]:
    """[attack, defence] of a kind of figure: from 1 to 6, so that every figure can hit (C17)."""
    if not isinstance(value, (list, tuple)) or len(value) != 2 or any(type(v) is not int for v in value):
        raise OptionsError(f"option {path} takes [attack, defence], not {value!r}")
    if not all(1 <= number <= 6 for number in value):
        raise OptionsError(f"option {path} takes two values from 1 to 6, not {value!r}")
    return list(value)


def _order(things: tuple[Any, ...]) -> Callable[[str, Any], list[Any]]:
    """A check for a list that holds each of `things` once."""

    def check(path: str, value: Any) -> list[Any]:
        found = [tuple(item) if isinstance(item, list) else item for item in value] if isinstance(value, list) else []
        if len(found) != len(things) or any(thing not in found for thing in things):
            shown = json.dumps([list(thing) if isinstance(thing, tuple) else thing for thing in things])
            raise OptionsError(f"option {path} takes each of {shown} once, not {value!r}")
        return [list(item) if isinstance(item, tuple) else item for item in found]

    return check


def _title(path: str, value: Any) -> list[Any]:
    """Regions that are needed, and nested lists of which one is: only the owner of a needed one can meet it (C16)."""
    if not isinstance(value, list) or not any(isinstance(item, str) for item in value):
        raise OptionsError(f"option {path} takes a list of regions with at least one outside a nested list")
    for item in value:
        for region in item if isinstance(item, list) and item else [item]:
            _check_region(path, region)
    if path == "titles.pfalz" and len(value) != 1:
        raise OptionsError(f"option {path} takes one region: the title moves with it (C16)")
    return list(value)


_LISTS: Final[Mapping[str, Callable[[str, Any], list[Any]]]] = {
    "field": _strength,
    "castle": _strength,
    "rows": _order(KIND_NAMES),
    "roll_order": _order(tuple((side, kind) for side in SIDES for kind in KIND_NAMES)),
    "titles": _title,
    "vote_order": _order(TITLES),
}
