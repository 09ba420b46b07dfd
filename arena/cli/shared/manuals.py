"""What a game says of itself for those who write bots: its rules, the manual of its data, its actions. No printing."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections import defaultdict
from importlib import resources

from arena.cli.shared.saying import say
from engine.core import Game

_WIDTH = 100
_RULES = "README.md"


def rules_in_words(game: Game) -> str:
    """Return the README beside the game's module; empty if there is none."""
    module = sys.modules[type(game).__module__]
    file = resources.files(module.__package__ or module.__name__) / _RULES
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


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
