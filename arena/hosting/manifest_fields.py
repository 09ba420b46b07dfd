"""Checks the values of `bot.toml` one by one. Pure; a FieldError says what is wrong with a value and what to write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.translatable import Text, did_you_mean, joined

SCHEMA = 1
ALL_GAMES = "*"
PROTOBUF, LINES = "protobuf", "lines"
MEMORY_MB = range(16, 65_536 + 1)
MAX_COMMAND_WORDS = 100
EXAMPLE = 'schema = 1, name = "my-bot", command = ["python", "main.py"], games = ["*"]'

KEYS = ("schema", "name", "command", "games", "memory_mb", "deterministic", "runtime", "build", "rules", "protocol")
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
            remedy = did_you_mean(key, KEYS) or Text("the keys are {known}", known=", ".join(KEYS))
            raise FieldError(Text("unknown key {key}; {remedy}", key=format_value(key), remedy=remedy))
    for key in ("schema", "name", "command"):
        if key not in data:
            raise FieldError(
                Text("the key {key} is missing; the least that is needed is {example}", key=repr(key), example=EXAMPLE)
            )
    if type(data["schema"]) is not int or data["schema"] != SCHEMA:
        raise FieldError(
            Text("schema is {value}, and this arena reads schema {own}", value=format_value(data["schema"]), own=SCHEMA)
        )


def read_name(value: object) -> str:
    """Return the name of a bot. Raises FieldError."""
    if not isinstance(value, str) or not is_name(value):
        why = Text(
            "name is {value}; use 1 to 40 of a-z, 0-9, '-' and '_', a letter or digit first, like \"my-bot\"",
            value=format_value(value),
        )
        raise FieldError(why)
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
        raise FieldError(
            Text('games is {value}; write a list of names, or games = ["*"] for every game', value=format_value(value))
        )
    for name in value:
        if not isinstance(name, str) or (name != ALL_GAMES and not _GAME_NAME.fullmatch(name)):
            why = Text(
                "games has {name}, which no game is called; `arena game list` shows the names", name=format_value(name)
            )
            raise FieldError(why)
    return tuple(value)


def read_memory_mb(value: object) -> int:
    """Return the memory that a bot asks for. Raises FieldError."""
    if type(value) is not int or value not in MEMORY_MB:
        why = Text(
            "memory_mb is {value}; use a whole number {least} to {most}",
            value=format_value(value),
            least=MEMORY_MB[0],
            most=MEMORY_MB[-1],
        )
        raise FieldError(why)
    return value


def read_deterministic(value: object) -> bool:
    """Return whether a bot promises equal play for equal seeds. Raises FieldError."""
    if not isinstance(value, bool):
        raise FieldError(Text("deterministic is {value}; use true or false, without quotes", value=format_value(value)))
    return value


def read_runtime(value: object) -> str:
    """Return the name of a runtime, whether this arena knows it or not. Raises FieldError."""
    if not isinstance(value, str) or not is_name(value):
        why = Text(
            "runtime is {value}, which no runtime is called; `arena runtime list` shows the names",
            value=format_value(value),
        )
        raise FieldError(why)
    return value


def read_rules(value: object) -> tuple[tuple[str, str], ...]:
    """Return the games of which a bot plays one version of the rules only, with that version. Raises FieldError."""
    if not isinstance(value, dict) or not all(isinstance(version, str) for version in value.values()):
        why = Text(
            'rules is {value}; write a table of games and versions, like foreign_king = "1"', value=format_value(value)
        )
        raise FieldError(why)
    for name in value:
        if not _GAME_NAME.fullmatch(name):
            why = Text(
                "rules has {name}, which no game is called; `arena game list` shows the names", name=format_value(name)
            )
            raise FieldError(why)
    return tuple(sorted(value.items()))


def read_protocol(value: object) -> str:
    """Return how messages reach a bot: `protobuf`, or `lines` of JSON. Raises FieldError."""
    if isinstance(value, str) and value in (PROTOBUF, LINES):
        return value
    why = Text("protocol is {value}; use 'protobuf' or 'lines'", value=format_value(value))
    guess = did_you_mean(value, (PROTOBUF, LINES)) if isinstance(value, str) else None
    raise FieldError(joined(why, guess) if guess else why)


def format_value(value: object) -> str:
    """Return a value as a message shows it: cut if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _words(key: str, value: object, example: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        why = Text(
            "{key} is {value}; write a list of words, like {key_2} = {example}",
            key=key,
            value=format_value(value),
            key_2=key,
            example=example,
        )
        raise FieldError(why)
    if not value or not value[0]:
        why = Text(
            "{key} is empty; name the program first, like {key_2} = {example}", key=key, key_2=key, example=example
        )
        raise FieldError(why)
    if len(value) > MAX_COMMAND_WORDS or any("\0" in word for word in value):
        why = Text("{key} has over {most} words or a NUL in one; shorten it", key=key, most=MAX_COMMAND_WORDS)
        raise FieldError(why)
    return tuple(value)
