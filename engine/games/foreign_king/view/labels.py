"""Names for people by language-free id: provinces, factories, every action by its notation, and words of the views."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from engine.folder import read_json
from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.board import PROVINCES, province_names

_TEXTS: Final[Mapping[str, Mapping[str, str]]] = read_json(__name__, "labels.json")
LANGUAGES: Final = tuple(_TEXTS)
"""Dutch has names for the provinces only."""
_STEP: Final = "step_"
"""Begins the key of what a verb is called when it is chosen by itself."""


@cache
def labels(language: str) -> Mapping[str, str]:
    """Return all labels in a language, in English for an unknown one and wherever a language has no word."""
    texts = dict(_TEXTS["en"]) | dict(_TEXTS.get(language, {}))
    names = texts | province_names(language)
    actions = {action: _label(action, names) for action in ACTIONS.names}
    return MappingProxyType(names | _verbs(names) | actions)


def _label(action: str, names: Mapping[str, str]) -> str:
    """Return the label of an action, made from its template."""
    verb, *parameters = action.split(":")
    known = {"province": "", "number": "", "kind": ""}
    for parameter in parameters:
        if parameter in PROVINCES:
            known["province"] = names[parameter]
        elif parameter.isdigit():
            known["number"] = parameter
        else:
            known["kind"] = names[parameter]
    return names[verb].format_map(known)


def _verbs(names: Mapping[str, str]) -> dict[str, str]:
    """Return what the first words of notations are called by themselves, in place of the templates of their labels."""
    return {name.removeprefix(_STEP): text for name, text in names.items() if name.startswith(_STEP)}
