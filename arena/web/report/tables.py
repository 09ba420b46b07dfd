"""The tables that all matches of a report share: texts, templates of parts, and what happens again and again. Pure.

A part of a picture is split into a template, its tags without the values of their attributes and without texts, and the
values that fill its holes. Each hole of each template counts its own values in the order in which they come, so that
the numbers stay small: a panel with four amounts is one template, and a change of it names the amounts that changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

HOLE: Final = "\0"
_VALUES: Final = re.compile(r'(?<==")[^"]*(?=")|(?<=>)[^<]+(?=<)')

Filled = tuple[int, tuple[int, ...]]
"""A part: the number of its template, and for each hole the number of its value."""


class Strings:
    """Numbers distinct texts in the order in which they come."""

    __slots__ = ("_numbers", "texts")

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        """Return the number of a text, a new one if it was not seen before."""
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number


class Templates:
    """Splits parts of pictures, and numbers their templates and values."""

    __slots__ = ("_filled", "_holes", "_strings", "_templates")

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._templates = Strings()
        self._holes: list[list[Strings]] = []
        self._filled: dict[str, Filled] = {}

    def filled(self, part: str) -> Filled:
        """Return a part in numbers."""
        found = self._filled.get(part)
        if found is None:
            template = self._templates.number(_VALUES.sub(HOLE, part))
            values = _VALUES.findall(part)
            if template == len(self._holes):
                self._holes.append([Strings() for _ in values])
            numbers = zip(self._holes[template], values, strict=True)
            found = self._filled[part] = (template, tuple(hole.number(value) for hole, value in numbers))
        return found

    def to_json(self) -> list[Any]:
        """Return each template, followed by the numbers of the texts that each of its holes knows."""
        return [
            [text, *([self._strings.number(value) for value in hole.texts] for hole in holes)]
            for text, holes in zip(self._templates.texts, self._holes, strict=True)
        ]


class Events:
    """Numbers what happens: seat, action, words, chance, and who chose it."""

    __slots__ = ("_numbers", "_strings", "events")

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._numbers: dict[str, int] = {}
        self.events: list[list[Any]] = []

    def number(self, frame: Mapping[str, Any]) -> int:
        """Return the number of what happened in an encoded frame."""
        words = [self._strings.number(sentence) for sentence in frame.get("words", ())]
        event = [frame.get("seat"), frame.get("action"), frame.get("by"), frame.get("chance"), words]
        number = self._numbers.setdefault(repr(event), len(self.events))
        if number == len(self.events):
            self.events.append(event)
        return number
