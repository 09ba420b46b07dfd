"""The catalogue of texts: read once from the files beside it, found by an id such as `leaderboard.title`.

The texts of a language lie in `catalogue/<language>/<area>.json`, where the area is the part of the id before its first
point. A text has places such as `{name}`; where the wording depends on a number, it is an object with the texts `one`
and `other`, chosen by the value `count`. Texts are plain: whoever puts one into a page escapes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

Text = str | Mapping[str, str]

NAMES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch", "fr": "Français", "it": "Italiano"}
"""The languages by their codes, each with its name in itself."""
LANGUAGES: Final = tuple(NAMES)
DEFAULT: Final = "en"
_SINGULAR_BELOW: Final[Mapping[str, int]] = {"fr": 2}
"""French counts nothing as one."""


class Words:
    """The texts of one language."""

    __slots__ = ("_texts", "language")

    def __init__(self, language: str, texts: Mapping[str, Text]) -> None:
        self.language = language
        self._texts = texts

    def say(self, text_id: str, **values: object) -> str:
        """Return the text of that id with its places filled in. Raises KeyError for an unknown id or a lacking value.

        A text that depends on a number needs the value `count`, a whole number.
        """
        text = self._texts[text_id]
        if not isinstance(text, str):
            text = text["one" if is_singular(self.language, values["count"]) else "other"]
        return text.format_map(values)

    def knows(self, text_id: str) -> bool:
        """Return whether there is a text of that id."""
        return text_id in self._texts


def is_singular(language: str, count: object) -> bool:
    """Return whether a language words this number as it words one. Raises TypeError for what is no whole number."""
    if not isinstance(count, int):
        raise TypeError(f"{count!r} cannot be counted")
    return count == 1 or 0 <= count < _SINGULAR_BELOW.get(language, 0)


@cache
def words(language: str) -> Words:
    """Return the texts of a language, English for an unknown one."""
    if language not in NAMES:
        return words(DEFAULT)
    return Words(language, read_texts(language))


def read_texts(language: str) -> dict[str, Text]:
    """Return the texts of a language by id, as its files have them."""
    folder = files("arena.words").joinpath("catalogue", language)
    texts: dict[str, Text] = {}
    for file in folder.iterdir():
        area = file.name.removesuffix(".json")
        found = json.loads(file.read_text(encoding="utf-8"))
        texts.update({f"{area}.{name}": text for name, text in found.items()})
    return texts


def best_language(accepted: str, known: Iterable[str] = LANGUAGES) -> str:
    """Return the language of `known` that a header `Accept-Language` likes best, English if it names none of them."""
    wishes = (_read_wish(part) for part in accepted[:1000].split(","))
    liked = [(weight, tag) for tag, weight in wishes if tag in known and weight > 0]
    return max(liked, key=lambda wish: wish[0], default=(1.0, DEFAULT))[1]


def _read_wish(part: str) -> tuple[str, float]:
    """Return what a part of the header names, such as `("de", 0.8)` for `de-CH;q=0.8`; worth 0 if it cannot be read."""
    tag, _, weight = part.strip().partition(";q=")
    try:
        return tag.partition("-")[0].lower(), float(weight or 1)
    except ValueError:
        return "", 0.0
