"""Names for people by language-free id: regions, titles, every action by its notation, and words of the views.

Regions are called as the board's file says, but where a language has a name of its own in `labels.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from engine.folder import read_json
from engine.games.rex_romanorum.actions import ACTIONS, KINDS
from engine.games.rex_romanorum.board import NAMES, REGIONS

_TEXTS: Final[Mapping[str, Mapping[str, str]]] = read_json(__name__, "labels.json")
LANGUAGES: Final = tuple(_TEXTS)
_WITH_DIOCESE: Final = ("ACT_BISHOP", "CHURCH")
_STEP: Final = "step_"
"""Begins the key of what a verb is called when it is chosen by itself."""


@cache
def labels(language: str) -> Mapping[str, str]:
    """Return all labels in a language: English for an unknown one and wherever a language has no word."""
    regions = dict(zip(REGIONS, NAMES, strict=True))
    names = {**_TEXTS["en"], **regions, **_TEXTS.get(language, _TEXTS["en"])}
    actions = {action: _label(action, names) for action in ACTIONS.names}
    return MappingProxyType(names | _verbs(names) | actions)


def phase_label(phase: str, names: Mapping[str, str]) -> str:
    """Return the label of a phase; some phases are called like an action."""
    return names.get(f"{phase}_PHASE") or names[phase]


def _label(action: str, names: Mapping[str, str]) -> str:
    """Return the label of an action from its template."""
    verb, *parameters = action.split(":")
    if verb == "KEEP":
        return names[f"KEEP_{parameters[0]}"]
    known = {"number": "", "kind": "", "diocese": "", "region": ""}
    for place, parameter in enumerate(parameters):
        if parameter.isdigit():
            known["number"] = parameter
        elif parameter in KINDS:
            known["kind"] = names[parameter]
        else:
            known["diocese" if place == 0 and verb in _WITH_DIOCESE else "region"] = names[parameter]
    return names[verb].format_map(known)


def _verbs(names: Mapping[str, str]) -> dict[str, str]:
    """Return what the first words of notations are called by themselves, in place of the templates of their labels."""
    return {name.removeprefix(_STEP): text for name, text in names.items() if name.startswith(_STEP)}
