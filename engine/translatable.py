"""Sentences for people that can be translated; every message of the arena is one.

    raise RefusedError(Text("only an organiser may {action}", action=action))

A text is its English sentence, so that logs, JSON, databases and comparisons have plain words, and an error can be
found by its message. Where a text reaches a person, `arena.i18n` finds its translation by the template, as gettext
does, and fills in the same parts. This module imports nothing else of the arena.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, Final

DEEPEST: Final = 6
"""Texts in texts are read only so deep, whoever sent them."""


class Text(str):
    """An English sentence with its template and the parts that fill the places of the template.

    A part may be a text itself, or an exception, which stands for its message. Integers stay integers; every other
    part is kept as it is shown. A text that was read from elsewhere is `foreign`: its template only finds the
    translation and is never filled in, because a stranger may have written it.
    """

    __slots__ = ("foreign", "parts", "template")

    template: str
    parts: Mapping[str, str | int]
    foreign: bool

    def __new__(cls, template: str, /, **parts: object) -> Text:
        """Fill the parts into the places of the template. Raises KeyError if one is lacking."""
        kept = {name: _part_of(part) for name, part in parts.items()}
        return _remade(template, kept, template.format_map(kept))

    def __str__(self) -> str:
        """Return itself, so that an exception that was raised with it says it whole."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.template, dict(self.parts), english(self), self.foreign)

    def __copy__(self) -> Text:
        return self

    def __deepcopy__(self, _memo: object) -> Text:
        return self


def english(text: str) -> str:
    """Return the plain words of a text, for what takes nothing but a `str` itself."""
    return str.__str__(text)


def placed(place: object, why: object) -> Text:
    """Return what is wrong, behind the place where it is."""
    return Text("{file}: {why}", file=place, why=why)


def without_place(text: str, place: object) -> str:
    """Return what is wrong without the place that `placed` put before it, if it was this one."""
    if isinstance(text, Text) and text.template == "{file}: {why}" and text.parts["file"] == str(place):
        return str(text.parts["why"])
    beginning = f"{place}: "  # `removeprefix` alone would make plain words of every text
    return text.removeprefix(beginning) if text.startswith(beginning) else text


def joined(what: object, why: object) -> Text:
    """Return what is wrong, with what more is to be said of it, such as the remedy."""
    return Text("{what}; {why}", what=what, why=why)


def split(text: str) -> tuple[str, str]:
    """Return the two that `joined` made one text of; the second is empty for any other words."""
    if isinstance(text, Text) and text.template == "{what}; {why}":
        return str(text.parts["what"]), str(text.parts["why"])
    return text, ""


def all_of(texts: Iterable[str]) -> str:
    """Return several texts as one, with semicolons between them; empty if there are none."""
    known = list(texts)
    return reduce(joined, known) if known else ""


def sentences(one: object, other: object) -> Text:
    """Return two sentences, one behind the other."""
    return Text("{what} {why}", what=one, why=other)


def with_parts(text: str, change: Callable[[str], str]) -> str:
    """Return a text with a change made to what stands in its places, at any depth; plain words change as a whole.

    So do those of a text that was read, of which it is not known what in them stands in its places.
    """
    if not isinstance(text, Text):
        return change(text)
    parts = {name: with_parts(part, change) if isinstance(part, str) else part for name, part in text.parts.items()}
    filled = change(english(text)) if text.foreign else text.template.format_map(parts)
    return _remade(text.template, parts, filled, text.foreign)


def parts_of(words: str | None) -> dict[str, Any] | None:
    """Return template and parts of a text as JSON data, to be kept beside its English; `None` for plain words."""
    if not isinstance(words, Text):
        return None
    return {"template": words.template, "parts": {name: to_json(part) for name, part in words.parts.items()}}


def text_from_json(english: str, data: object) -> str:
    """Return the text that an English sentence is, by what `parts_of` gave; the sentence if that is nothing."""
    return _read(english, data, DEEPEST)


def to_json(words: str | int) -> Any:
    """Return words, or a number, as JSON data that keeps which text they are; plain ones stay as they are."""
    return {"english": english(words), **(parts_of(words) or {})} if isinstance(words, Text) else words


def from_json(data: object) -> str:
    """Return the words that `to_json` wrote; empty for anything else."""
    read = _read_part(data, DEEPEST)
    return read if isinstance(read, str) else ""


def _read(english: str, data: object, deepest: int) -> str:
    match data:
        case {"template": str(template), "parts": dict(parts)} if deepest:
            read = {str(name): _read_part(part, deepest - 1) for name, part in parts.items()}
            return _remade(template, read, english, foreign=True)
    return english


def _read_part(part: object, deepest: int) -> str | int:
    match part:
        case {"english": str(english)}:
            return _read(english, part, deepest)
        case str() | int():
            return part
    return ""


def _part_of(part: object) -> str | int:
    if isinstance(part, BaseException):
        return str(part)
    return part if isinstance(part, Text) or type(part) is int else format(part)


def _remade(template: str, parts: Mapping[str, str | int], english: str, foreign: bool = False) -> Text:
    text = str.__new__(Text, english)
    text.template, text.parts, text.foreign = template, parts, foreign
    return text


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most like `name`, or `None`; `cutoff` is how like it must be, from 0 (any) to 1 (equal)."""
    from difflib import get_close_matches  # loaded only where somebody mistyped

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=cutoff)), None)


def did_you_mean(name: str, known: Iterable[str]) -> Text | None:
    """Return a question for the known name that is most like `name`, or `None` if none is like it."""
    near = nearest(name, known)
    return None if near is None else Text("did you mean {name}?", name=repr(near))
