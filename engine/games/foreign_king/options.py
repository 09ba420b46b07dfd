"""The options of a match (section 8 of the rules) and the rulebook presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.core import OptionsError

UNLIMITED: Final = "unlimited"
_YES_NO: Final[Mapping[Any, bool]] = {"yes": True, "no": False, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Options:
    """Validated options; the field order is the order in which they are shown."""

    rulebook: str = "canonical"
    queen_scope: str = "any"
    congress_on_empty: bool = False
    virtual_discs: int = 15
    virtual_can_win: bool = True
    bank: int | None = None
    """Francs in the whole game; None is unlimited."""
    max_rounds: int = 100


@dataclass(frozen=True, slots=True)
class _Choice:
    """An option that takes one of a few values."""

    values: tuple[Any, ...]
    description: str


HIGHEST_CAP: Final = 1000
"""The largest `max_rounds`."""
_CHOICES: Final[Mapping[str, _Choice]] = {
    "rulebook": _Choice(("canonical", "en", "de", "it", "fr"), "edition whose switches are the defaults of the others"),
    "queen_scope": _Choice(
        ("any", "occupied_by_others"), "what the Queen may do: any of the other actions, or those other pawns stand on"
    ),
    "congress_on_empty": _Choice(
        (False, True), "whether the Congress is asked when the King stops where no disc lies (A7)"
    ),
    "virtual_discs": _Choice((15, 16), "discs of the virtual player, 2 seats (A38)"),
    "virtual_can_win": _Choice((True, False), "whether the virtual player can deny both seats the win (A46)"),
    "bank": _Choice((UNLIMITED, 37, 41), "all Francs of the game; a bank that is short pays what is there (A20)"),
}
_PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {"de": {"queen_scope": "occupied_by_others"}}


def _read(name: str, value: Any) -> Any:
    """The value of an option from a value or its text."""
    choice = _CHOICES[name]
    for allowed in choice.values:
        if type(value) is type(allowed) and value == allowed:
            return allowed
    if isinstance(value, str):
        text = value.strip().lower()
        for allowed in choice.values:
            if isinstance(allowed, bool) and _YES_NO.get(text) is allowed:
                return allowed
            if not isinstance(allowed, bool) and text == str(allowed):
                return allowed
    raise OptionsError(f"option {name} takes {' or '.join(map(_shown, choice.values))}, not {value!r}")


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _read_max_rounds(value: Any) -> int:
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        text = str(value).strip()
        if text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= HIGHEST_CAP:
            return int(text)
    raise OptionsError(f"option max_rounds takes 1 to {HIGHEST_CAP}, not {value!r}")


def parse_options(values: Mapping[str, Any]) -> Options:
    """Options from values or texts ("yes", "37"). Raises OptionsError naming the option and what it takes."""
    unknown = sorted(set(values) - set(_CHOICES) - {"max_rounds"})
    if unknown:
        known = ", ".join((*_CHOICES, "max_rounds"))
        raise OptionsError(f"foreign_king has no option {unknown[0]!r}; it has: {known}")
    rulebook = _read("rulebook", values.get("rulebook", "canonical"))
    chosen: dict[str, Any] = {"rulebook": rulebook, **_PRESETS.get(rulebook, {})}
    for name, value in values.items():
        chosen[name] = _read_max_rounds(value) if name == "max_rounds" else _read(name, value)
    if chosen.get("bank") == UNLIMITED:
        chosen["bank"] = None
    return Options(**chosen)


def options_json(options: Options) -> dict[str, Any]:
    """Every option with its value; `parse_options` is the inverse."""
    return {
        "rulebook": options.rulebook,
        "queen_scope": options.queen_scope,
        "congress_on_empty": options.congress_on_empty,
        "virtual_discs": options.virtual_discs,
        "virtual_can_win": options.virtual_can_win,
        "bank": UNLIMITED if options.bank is None else options.bank,
        "max_rounds": options.max_rounds,
    }


def options_schema() -> dict[str, Any]:
    """JSON Schema of `options_json`."""
    properties: dict[str, Any] = {
        name: {"enum": list(choice.values), "default": choice.values[0], "description": choice.description}
        for name, choice in _CHOICES.items()
    }
    properties["max_rounds"] = {
        "type": "integer",
        "minimum": 1,
        "maximum": HIGHEST_CAP,
        "default": Options().max_rounds,
        "description": "rounds after which the game is scored as it stands (A55)",
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}
