"""The kinds of values that a setting can have: how each is read from a file or a text, and shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.service.addresses import parse_address
from engine.text import Text

Value = Any
"""A value as the typed settings hold it."""

_WHOLE = re.compile(r"-?\d{1,15}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,6})?", re.ASCII)
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)%?", re.ASCII)
_TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class SettingKind:
    """One kind of value."""

    words: str
    """What a value must be, for messages: `a whole number, 0 or more`."""
    read: Callable[[Any], Value]
    """Returns the value for what a TOML file says. Raises ValueError if it is of another kind."""
    read_text: Callable[[str], Any]
    """Returns what a TOML file would say for the text of a flag or a variable. Raises ValueError."""
    show: Callable[[Value], str]
    """Returns the value as it is written in a TOML file."""


def whole(least: int = 0, most: int = 10**12) -> SettingKind:
    """Return the kind of whole numbers from `least` to `most`."""

    def read(said: Any) -> int:
        if isinstance(said, bool) or not isinstance(said, int) or not least <= said <= most:
            raise ValueError
        return said

    return SettingKind(
        Text("service.whole_number", "a whole number, {least} to {most}", least=least, most=most),
        read,
        _text_to_whole,
        str,
    )


def number(least: float, most: float) -> SettingKind:
    """Return the kind of numbers from `least` to `most`."""

    def read(said: Any) -> float:
        if isinstance(said, bool) or not isinstance(said, int | float) or not least <= said <= most:
            raise ValueError
        return float(said)

    return SettingKind(
        Text("service.a_number_to", "a number, {least} to {most}", least=f"{least:g}", most=f"{most:g}"),
        read,
        _text_to_number,
        _show_number,
    )


def choice(*words: str) -> SettingKind:
    """Return the kind of texts that are one of these words."""

    def read(said: Any) -> str:
        if said not in words:
            raise ValueError
        return str(said)

    return SettingKind(Text("service.one_of", "one of {words}", words=", ".join(words)), read, str, _quote)


def _read_flag(said: Any) -> bool:
    if not isinstance(said, bool):
        raise ValueError
    return said


def _text_to_flag(text: str) -> bool:
    if text.lower() not in _TRUTHS:
        raise ValueError
    return _TRUTHS[text.lower()]


def _read_text(said: Any) -> str:
    if not isinstance(said, str) or not (said.isprintable()):
        raise ValueError
    return said


def _read_names(said: Any) -> tuple[str, ...]:
    if not isinstance(said, list) or not all(isinstance(name, str) and name.strip() for name in said):
        raise ValueError
    return tuple(said)


def _read_address(said: Any) -> str:
    if not isinstance(said, str):
        raise ValueError
    return str(parse_address(said)) if said else ""


def _read_share(said: Any) -> float:
    """Return `2`, `2.5` or `"2%"` as the share that so many per cent are."""
    text = f"{said}" if isinstance(said, int | float) and not isinstance(said, bool) else said
    found = _SHARE.fullmatch(text) if isinstance(text, str) else None
    if found is None or float(found[1]) > 100:
        raise ValueError
    return float(found[1]) / 100


def _read_megabytes(said: Any) -> int | None:
    if said == "auto":
        return None
    if isinstance(said, bool) or not isinstance(said, int) or said < 0:
        raise ValueError
    return said


def _text_to_whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError
    return int(text)


def _text_to_number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError
    return float(text)


def _text_to_megabytes(text: str) -> int | str:
    return text if text == "auto" else _text_to_whole(text)


def _show_number(value: float) -> str:
    return f"{value:g}"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _show_names(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(_quote, names)) + "]"


FLAG = SettingKind(
    Text("service.true_false", "true or false"), _read_flag, _text_to_flag, lambda value: "true" if value else "false"
)
TEXT = SettingKind(Text("service.text_quotes", "a text in quotes"), _read_text, str, _quote)
NAMES = SettingKind(
    Text("service.list_texts", "a list of texts"),
    _read_names,
    lambda text: [part for part in text.split(",") if part],
    _show_names,
)
ADDRESS = SettingKind(
    Text("service.address_such_127_0_0", 'an address such as "127.0.0.1:7733"'), _read_address, str, _quote
)
SHARE = SettingKind(
    Text("service.part_all_such_2", 'a part of all such as "2%"'), _read_share, str, lambda value: f'"{value * 100:g}%"'
)
MEGABYTES = SettingKind(
    Text("service.auto_whole_number_megabytes", '"auto" or a whole number of megabytes'),
    _read_megabytes,
    _text_to_megabytes,
    lambda value: '"auto"' if value is None else str(value),
)
