"""The catalogue of texts in four languages, and translation of messages.

Texts of pages and commands have ids such as `leaderboard.title`. Those of a language are in
`catalogue/<language>/<area>.json`; the area is the part of the id before its first point. An area is read when its
first text is needed, and kept. A text has places such as `{name}`. If the wording depends on a number, the text is an
object with the texts `one` and `other`, chosen by the value `count`. Texts are not escaped for HTML.

Messages (`engine.translatable.Text`) have their English template in the source. `messages/<language>.json` has the
translation of each template.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from engine.translatable import Text

Wording = str | Mapping[str, str]

NAMES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch", "fr": "Français", "it": "Italiano"}
"""The languages by their codes, each with its name in itself."""
LANGUAGES: Final = tuple(NAMES)
DEFAULT: Final = "en"
_FOLDER: Final = Path(__file__).with_name("catalogue")
_MESSAGES: Final = Path(__file__).with_name("messages")
_SINGULAR_BELOW: Final[Mapping[str, int]] = {"fr": 2}
"""French counts nothing as one."""
VARIABLES: Final = ("ARENA_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""Where the environment says it, the strongest first: our own variable, then those of every program's locale."""


class Words:
    """The texts of one language."""

    __slots__ = ("_areas", "language")

    def __init__(self, language: str) -> None:
        self.language = language
        self._areas: dict[str, Mapping[str, Wording]] = {}

    def say(self, text_id: str, **values: object) -> str:
        """Return the text of that id with its places filled in. Raises KeyError for an unknown id or a lacking value.

        A text that depends on a number needs the value `count`, a whole number.
        """
        text = self._area(text_id)[text_id]
        if not isinstance(text, str):
            text = text["one" if is_singular(self.language, values["count"]) else "other"]
        return text.format_map(values)

    def knows(self, text_id: str) -> bool:
        """Return whether there is a text of that id."""
        return text_id in self._area(text_id)

    def _area(self, text_id: str) -> Mapping[str, Wording]:
        area = text_id.partition(".")[0]
        if not area.isidentifier():  # whoever sent it: it becomes the name of a file
            return {}
        if area not in self._areas:
            if not (found := _read_area(self.language, area)):
                return {}
            self._areas[area] = found
        return self._areas[area]


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
    return Words(language)


def read_texts(language: str) -> dict[str, Wording]:
    """Return all texts of a language by id, as its files have them."""
    areas = (_read_area(language, file.stem) for file in (_FOLDER / language).glob("*.json"))
    return {text_id: text for area in areas for text_id, text in area.items()}


def _read_area(language: str, area: str) -> dict[str, Wording]:
    """Return the texts of an area by id; there are none in an area that has no file."""
    file = _FOLDER / language / f"{area}.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {f"{area}.{name}": text for name, text in found.items()}


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


def translate(text: str, language: str) -> str:
    """Return a text in a language, English for an unknown one; texts that stand in its places are translated, too.

    Plain words, of which it is not known which text they are, stay as they are.
    """
    if language == DEFAULT or language not in NAMES or not isinstance(text, Text):
        return text
    if (message := read_messages(language).get(text.template)) is None:
        return text
    parts = {name: translate(part, language) if isinstance(part, str) else part for name, part in text.parts.items()}
    try:
        return message.format_map(parts)
    except KeyError:  # whoever sent it has other parts
        return text


@cache
def read_messages(language: str) -> Mapping[str, str]:
    """Return the translations of all messages into a language other than English, by their English templates."""
    messages: dict[str, str] = json.loads((_MESSAGES / f"{language}.json").read_text(encoding="utf-8"))
    return messages


def language_of_process(environ: Mapping[str, str]) -> str:
    """Return the language that the environment asks for by the first of `VARIABLES` that is set; English for others.

    A locale such as `de_CH.UTF-8` counts by its language; `C`, and one that the catalogue lacks, is English.
    """
    wish = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    language = wish.replace("-", "_").partition(".")[0].partition("_")[0].lower()
    return language if language in NAMES else DEFAULT


def validation_text(error: Mapping[str, Any]) -> str:
    """Return the text of one of the errors that Pydantic lists; its own words if the text is not known."""
    message = str(error["msg"])
    text = _text_of(str(error["type"]), error.get("ctx") or {})
    return text if text is not None and text == message else message


def _text_of(kind: str, context: Mapping[str, Any]) -> Text | None:
    match kind, context:
        case "int_parsing", _:
            return Text("Input should be a valid integer, unable to parse string as an integer")
        case "float_parsing", _:
            return Text("Input should be a valid number, unable to parse string as a number")
        case "greater_than_equal", {"ge": least}:
            return Text("Input should be greater than or equal to {least}", least=_figure(least))
        case "greater_than", {"gt": least}:
            return Text("Input should be greater than {least}", least=_figure(least))
        case "less_than_equal", {"le": most}:
            return Text("Input should be less than or equal to {most}", most=_figure(most))
        case (("literal_error" | "enum"), {"expected": known}):
            return Text("Input should be {known}", known=known)
    return None


def _figure(number: object) -> str:
    """Return a bound as Pydantic writes it: a whole number has no point, whatever its type."""
    return str(number).removesuffix(".0")
