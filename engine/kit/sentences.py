"""Sentences about moves in several languages: templates, numbers with their nouns, places with their prepositions.

A game keeps its texts in a JSON file, by language:

    say       templates of sentences by key, with {names} to fill in
    units     what is counted: [one, other], and perhaps how none is called
    places    the grammatical class of each place whose name needs one (`grammar.json`): an article, a gender

No I/O but reading such files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.kit.game_folder import read_json

_GRAMMAR: Final[Mapping[str, Any]] = read_json(__name__, "grammar.json")
"""By language the word for `and`, and by class of a place: at it, from it, to it, and itself as an object.

A class with ' is used before a vowel.
"""
_VOWELS: Final = "AEIOUÉÈ"


class PhraseBook:
    """The sentences of a game in one language, English where the game has no texts in it."""

    __slots__ = ("_and", "_cases", "_classes", "_say", "_units", "names")

    def __init__(self, texts: Mapping[str, Any], language: str, labels: Callable[[str], Mapping[str, str]]) -> None:
        """`texts` are those of the game's file, `labels` its names by language."""
        spoken = language if language in texts and language in _GRAMMAR else "en"
        self.names = labels(language)
        self._say: Mapping[str, str] = texts[spoken]["say"]
        self._units: Mapping[str, Sequence[str]] = texts[spoken]["units"]
        self._classes: Mapping[str, str] = texts[spoken].get("places", {})
        self._cases: Mapping[str, Sequence[str]] = _GRAMMAR[spoken]["cases"]
        self._and: str = _GRAMMAR[spoken]["and"]

    def sentence(self, key: str, **values: object) -> str:
        """Return a sentence with its places filled in, its first letter a capital."""
        told = self._say[key].format_map(values)
        return told[:1].upper() + told[1:]

    def phrase(self, key: str, **values: object) -> str:
        """Return a part of a sentence."""
        return self._say[key].format_map(values)

    def count(self, unit: str, number: int) -> str:
        """Return a number with its noun: `3 knights`."""
        one, other, *none = self._units[unit]
        if none and not number:
            return none[0]
        return f"{number} {one if number == 1 else other}"

    def joined(self, parts: Sequence[str]) -> str:
        """Return `a, b and c`."""
        if len(parts) < 2:
            return "".join(parts)
        return f"{', '.join(parts[:-1])} {self._and} {parts[-1]}"

    def at(self, place: str) -> str:
        """Return a place where something is."""
        return self._case(place, 0)

    def out_of(self, place: str) -> str:
        """Return a place from where something comes."""
        return self._case(place, 1)

    def into(self, place: str) -> str:
        """Return a place where something goes."""
        return self._case(place, 2)

    def the(self, place: str) -> str:
        """Return a place as the object of a sentence."""
        return self._case(place, 3)

    def _case(self, place: str, case: int) -> str:
        name, kind = self.names[place], self._classes.get(place, "")
        if name[0] in _VOWELS and f"{kind}'" in self._cases:
            kind += "'"
        return self._cases[kind][case].format(name)
