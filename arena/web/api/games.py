"""The games that are installed: facts, options, actions and rules."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any

from fastapi import APIRouter, Path

from engine import registry
from engine.core import Game

router = APIRouter(tags=["games"])
GamePath = Annotated[str, Path(max_length=100, description="Its name, such as `foreign_king`.")]


@dataclass(frozen=True, slots=True)
class GameFacts:
    """A game as a list shows it."""

    name: str
    title: str
    rules_version: str
    seats: tuple[int, ...]
    """The numbers of seats it is played with."""
    actions: int
    max_plies: int
    has_chance: bool
    has_hidden_information: bool
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameManual:
    """A game with what is needed to write a bot for it."""

    facts: GameFacts
    options: Mapping[str, Any]
    """A JSON Schema object: every option with its values, default and description."""
    rules: str
    """How it is played, in Markdown."""


@dataclass(frozen=True, slots=True)
class ActionNames:
    """The notation of every action; index = number of the action."""

    actions: tuple[str, ...]


@router.get("/games")
def list_games() -> tuple[GameFacts, ...]:
    """List the installed games by name."""
    return tuple(_facts(registry.get(name)) for name in registry.names())


@router.get("/games/{game}")
def get_game(game: GamePath) -> GameManual:
    """Show a game with its options and its rules."""
    found = registry.get_listed(game)
    module = sys.modules[type(found).__module__]
    file = resources.files(module.__package__ or module.__name__) / "README.md"
    rules = file.read_text(encoding="utf-8").strip() if file.is_file() else ""
    return GameManual(_facts(found), found.options_schema(), rules)


@router.get("/games/{game}/actions")
def list_actions(game: GamePath) -> ActionNames:
    """List the actions of a game in their notation."""
    return ActionNames(tuple(registry.get_listed(game).actions.names))


def _facts(game: Game) -> GameFacts:
    return GameFacts(
        name=game.name,
        title=game.title,
        rules_version=game.rules_version,
        seats=tuple(game.seats),
        actions=len(game.actions),
        max_plies=game.max_plies,
        has_chance=game.has_chance,
        has_hidden_information=game.has_hidden_information,
        languages=tuple(game.shown.languages),
    )
