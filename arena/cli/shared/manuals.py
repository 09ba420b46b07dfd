"""What a game says of itself for those who write bots: its rules, the manual of its data, its actions. No printing."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections import defaultdict
from importlib import resources
from typing import Any

from arena.cli.shared.saying import say
from engine.core import Game

_WIDTH = 100
_RULES = "README.md"
_OTHER_RULES = "rules.{}.md"
"""The rules in another language than English."""


def rules_in_words(game: Game) -> str:
    """Return the README beside the game's module; empty if there is none."""
    file = resources.files(_package(game)) / _RULES
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


def sources(game: Game, language: str) -> dict[str, Any]:
    """Return where a game tells of itself, wherever it is installed.

    The file of its rules in a language, or in English (None if it has none); the file whose docstring is the manual;
    the name of the message that bots are sent; the class of its positions.
    """
    folder = resources.files(_package(game))
    found = [file for name in (_OTHER_RULES.format(language), _RULES) if (file := folder / name).is_file()]
    state = game.new_state(game.seats[0])
    return {
        "rules_file": str(found[0]) if found else None,
        "manual_file": inspect.getsourcefile(sys.modules[type(game).__module__]),
        "observation": game.encode_observation(state, 0)[0],
        "position_class": f"{type(state).__module__}.{type(state).__qualname__}",
    }


def _package(game: Game) -> str:
    module = sys.modules[type(game).__module__]
    return module.__package__ or module.__name__


def manual(game: Game) -> str:
    """Return the docstring of the game's module: its options, positions as JSON, and results."""
    return inspect.getdoc(sys.modules[type(game).__module__]) or ""


def action_names(game: Game) -> str:
    """Return the notation of every action, a paragraph for each kind, which is what stands before the first colon."""
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for name in game.actions.names:
        kind, _, parameters = name.partition(":")
        kinds[kind].append(parameters)
    lines = [_kind_text(kind, parameters) for kind, parameters in kinds.items()]
    return "\n".join([say("cli_game.all_actions", actions=len(game.actions)), *lines])


def _kind_text(kind: str, parameters: list[str]) -> str:
    text = f"  {kind}" if parameters == [""] else f"  {kind}: {' '.join(parameters)}"
    return textwrap.fill(text, _WIDTH, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)
