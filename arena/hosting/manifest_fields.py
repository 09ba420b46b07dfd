"""Checks the values of `bot.toml` one by one. Pure; a FieldError says what is wrong with a value and what to write."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

SCHEMA = 1
ALL_GAMES = "*"
MEMORY_MB = range(16, 65_536 + 1)
MAX_COMMAND_WORDS = 100
EXAMPLE = 'schema = 1, name = "my-bot", command = ["python", "main.py"], games = ["*"]'

KEYS = ("schema", "name", "command", "games", "memory_mb", "deterministic", "runtime", "build", "rules")
"""Every key that `bot.toml` may have."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_GAME_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)


class FieldError(ValueError):
    """A value is not what its key needs."""


def is_name(text: object) -> bool:
    """Return whether a bot or a runtime can be called so."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def check_keys(data: Mapping[str, Any]) -> None:
    """Check that the keys are known, that none is missing, and the schema. Raises FieldError."""
    for key in data:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(KEYS)}"
            raise FieldError(f"unknown key {format_value(key)}; {remedy}")
    for key in ("schema", "name", "command"):
        if key not in data:
            raise FieldError(f"the key {key!r} is missing; the least that is needed is {EXAMPLE}")
    if type(data["schema"]) is not int or data["schema"] != SCHEMA:
        raise FieldError(f"schema is {format_value(data['schema'])}, and this arena reads schema {SCHEMA}")


def read_name(value: object) -> str:
    """Return the name of a bot. Raises FieldError."""
    if not isinstance(value, str) or not is_name(value):
        raise FieldError(
            f"name is {format_value(value)}; use 1 to 40 of a-z, 0-9, '-' and '_', a letter or digit first, like "
            '"my-bot"'
        )
    return value


def read_command(value: object) -> tuple[str, ...]:
    """Return the command that starts a bot. Raises FieldError."""
    return _words("command", value, '["python", "main.py"]')


def read_build(value: object) -> tuple[str, ...]:
    """Return the command that builds a bot. Raises FieldError."""
    return _words("build", value, '["make"]')


def read_games(value: object) -> tuple[str, ...]:
    """Return the names of the games that a bot plays. Raises FieldError."""
    if not isinstance(value, list) or not value:
        raise FieldError(f'games is {format_value(value)}; write a list of names, or games = ["*"] for every game')
    for name in value:
        if not isinstance(name, str) or (name != ALL_GAMES and not _GAME_NAME.fullmatch(name)):
            raise FieldError(
                f"games has {format_value(name)}, which no game is called; `arena game list` shows the names"
            )
    return tuple(value)


def read_memory_mb(value: object) -> int:
    """Return the memory that a bot asks for. Raises FieldError."""
    if type(value) is not int or value not in MEMORY_MB:
        raise FieldError(f"memory_mb is {format_value(value)}; use a whole number {MEMORY_MB[0]} to {MEMORY_MB[-1]}")
    return value


def read_deterministic(value: object) -> bool:
    """Return whether a bot promises equal play for equal seeds. Raises FieldError."""
    if not isinstance(value, bool):
        raise FieldError(f"deterministic is {format_value(value)}; use true or false, without quotes")
    return value


def read_runtime(value: object) -> str:
    """Return the name of a runtime, whether this arena knows it or not. Raises FieldError."""
    if not isinstance(value, str) or not is_name(value):
        raise FieldError(
            f"runtime is {format_value(value)}, which no runtime is called; `arena runtime list` shows the names"
        )
    return value


def read_rules(value: object) -> tuple[tuple[str, str], ...]:
    """Return the games of which a bot plays one version of the rules only, with that version. Raises FieldError."""
    if not isinstance(value, dict) or not all(isinstance(version, str) for version in value.values()):
        raise FieldError(
            f'rules is {format_value(value)}; write a table of games and versions, like foreign_king = "1"'
        )
    for name in value:
        if not _GAME_NAME.fullmatch(name):
            raise FieldError(
                f"rules has {format_value(name)}, which no game is called; `arena game list` shows the names"
            )
    return tuple(sorted(value.items()))


def format_value(value: object) -> str:
    """Return a value as a message shows it: cut if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _words(key: str, value: object, example: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise FieldError(f"{key} is {format_value(value)}; write a list of words, like {key} = {example}")
    if not value or not value[0]:
        raise FieldError(f"{key} is empty; name the program first, like {key} = {example}")
    if len(value) > MAX_COMMAND_WORDS or any("\0" in word for word in value):
        raise FieldError(f"{key} has over {MAX_COMMAND_WORDS} words or a NUL in one; shorten it")
    return tuple(value)
