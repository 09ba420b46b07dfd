"""What is left of finding out which text plain words are: by their own wording.

Some sentences are stored, or cross from one process to another, as plain English words. They are compared with the
templates in `remainder.json`, which names the text of the catalogue that each is. It goes as soon as all of them carry
their ids; nothing is added here.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from arena.i18n.catalogue import words

SENTENCE_PLACES: Final = frozenset({"why", "remedy", "what"})
"""The places in which a sentence holds another one, which is translated as well."""
NUMBERS: Final = frozenset({"count", "number", "ply", "seats"})
"""The places in which a number stands, and so no space."""
LEAST_WEIGHT: Final = 6
"""A sentence that says less of its own, such as `{file}: {why}`, is heard only for what stands in its places."""
_REMEMBERED: Final = 2000
_BEGINNING: Final = 3
"""How many first letters of a text choose the sentences that it is compared with."""
LONGEST_TOLD: Final = 4000
"""Characters; no sentence of ours is longer, and what is stays as it is."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One English sentence: its literal parts, the names of the places between them, and the id of its text."""

    literals: tuple[str, ...]
    places: tuple[str, ...]
    text_id: str
    parts: Mapping[str, str]
    """The ids of texts that stand in places of the text, and whose own places are among those of the template."""

    @property
    def weight(self) -> int:
        """Return how many characters are its own."""
        return sum(map(len, self.literals))

    @property
    def is_slight(self) -> bool:
        """Return whether it says next to nothing of its own."""
        return bool(self.places) and self.weight < LEAST_WEIGHT

    def values_in(self, text: str) -> dict[str, str] | None:
        """Return what stands in the places if the text is this sentence, else `None`. No place is empty.

        A place ends where the next literal part first follows; it takes time linear in the length of the text.
        """
        first, last = self.literals[0], self.literals[-1]
        if not self.places:
            return {} if text == first else None
        if not (text.startswith(first) and text.endswith(last)):
            return None
        return self._between(text, len(first), len(text) - len(last))

    def _between(self, text: str, start: int, end: int) -> dict[str, str] | None:
        """Return what stands in the places of `text[start:end]`, which begins and ends with one."""
        found: dict[str, str] = {}
        for place, literal in zip(self.places, self.literals[1:-1], strict=False):
            at = text.find(literal, start + 1, end)
            if at < 0:
                return None
            found[place] = text[start:at]
            start = at + len(literal)
        if start >= end:
            return None
        found[self.places[-1]] = text[start:end]
        return None if any(" " in found[place] for place in NUMBERS & found.keys()) else found


@dataclass(frozen=True, slots=True)
class Heard:
    """What a text says: a sentence, what stands in its places, and what is said in those that hold sentences."""

    sentence: Sentence
    values: Mapping[str, str]
    within: Mapping[str, Heard]

    @property
    def weight(self) -> int:
        """Return how many characters of the text are the catalogue's own."""
        return self.sentence.weight + sum(one.weight for one in self.within.values())

    def tell(self, language: str) -> str:
        """Return it in a language other than English."""
        told = {place: one.tell(language) for place, one in self.within.items()}
        known, values = words(language), {**self.values, **told}
        for place, text_id in self.sentence.parts.items():
            values[place] = known.say(text_id, **values)
        return known.say(self.sentence.text_id, **values)


def parse(text: str, language: str) -> str:
    """Return plain words in a language other than English; those that are no sentence of ours stay as they are."""
    heard = hear(text)
    return text if heard is None else heard.tell(language)


@lru_cache(_REMEMBERED)
def hear(text: str, deepest: int = 6) -> Heard | None:
    """Return what a text says, or `None` if it is no sentence of the catalogue.

    If several sentences fit, it is the one that leaves least to what stands in the places; one that says next to
    nothing of its own is tried last. Sentences in sentences are heard `deepest` levels deep.
    """
    if len(text) > LONGEST_TOLD:
        return None
    whole, slight = _sentences_beginning(text[:_BEGINNING])
    return _best(whole, text, deepest) or _best(slight, text, deepest)


def _best(known: Iterable[Sentence], text: str, deepest: int) -> Heard | None:
    fitting = ((sentence, sentence.values_in(text)) for sentence in known)
    heard = (_within(sentence, values, deepest) for sentence, values in fitting if values is not None)
    return max(filter(_says_enough, heard), key=lambda one: one.weight, default=None)


def _says_enough(heard: Heard) -> bool:
    return not heard.sentence.is_slight or heard.within.keys() == SENTENCE_PLACES & heard.values.keys()


def _within(sentence: Sentence, values: Mapping[str, str], deepest: int) -> Heard:
    found = {place: hear(values[place], deepest - 1) for place in SENTENCE_PLACES & values.keys() if deepest}
    return Heard(sentence, values, {place: one for place, one in found.items() if one is not None})


@lru_cache(200)
def _sentences_beginning(start: str) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Return those of `sentences` that can match a text with this beginning."""
    whole, slight = (
        tuple(one for one in known if start.startswith(one.literals[0][:_BEGINNING])) for known in sentences()
    )
    return whole, slight


@cache
def sentences() -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Return the sentences that say something themselves, and those that only hold others."""
    known = [_sentence_of(english, *texts) for english, texts in read_templates().items()]
    whole = tuple(sentence for sentence in known if not sentence.is_slight)
    return whole, tuple(sentence for sentence in known if sentence.is_slight)


def read_templates() -> dict[str, tuple[str, Mapping[str, str]]]:
    """Return the id of the text that each English template is, and the ids of texts that stand in its places."""
    found = json.loads(Path(__file__).with_name("remainder.json").read_text(encoding="utf-8"))
    return {english: (one, {}) if isinstance(one, str) else (one["id"], one["parts"]) for english, one in found.items()}


def _sentence_of(english: str, text_id: str, parts: Mapping[str, str]) -> Sentence:
    literals, places = [""], []
    for literal, place, _, _ in string.Formatter().parse(english):
        literals[-1] += literal
        if place is not None:
            places.append(place)
            literals.append("")
    return Sentence(tuple(literals), tuple(places), text_id, parts)
