"""Sentences in several languages: numbers with their nouns, places with their prepositions, no text forgotten."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.kit.sentences import PhraseBook

assert engine.__file__ is not None
FILES = sorted((Path(engine.__file__).parent / "games").glob("*/view/sentences.json"))
APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
NAMES = {"FOO": "Alsace", "BAR": "Brabant", "TOWN": "Anvers"}
TEXTS: Mapping[str, Any] = {
    "en": {"units": {"hit": ["hit", "hits", "no hit"]}, "say": {"go": "{who} goes {there}."}},
    "fr": {
        "units": {"hit": ["touche", "touches"]},
        "places": {"FOO": "f", "BAR": "m"},
        "say": {"go": "{who} va {there}."},
    },
}


def book(language: str) -> PhraseBook:
    return PhraseBook(TEXTS, language, lambda _: NAMES)


def test_places_have_their_prepositions() -> None:
    fr = book("fr")
    assert [fr.at(place) for place in NAMES] == ["en Alsace", "dans le Brabant", "à Anvers"]
    assert [fr.out_of(place) for place in NAMES] == [f"d{APOSTROPHE}Alsace", "du Brabant", f"d{APOSTROPHE}Anvers"]
    assert [fr.the(place) for place in NAMES] == [f"l{APOSTROPHE}Alsace", "le Brabant", "Anvers"]
    assert fr.sentence("go", who="a", there=fr.into("BAR")) == "A va dans le Brabant."


def test_numbers_have_their_nouns_and_lists_their_last_word() -> None:
    en = book("en")
    assert [en.count("hit", number) for number in range(3)] == ["no hit", "1 hit", "2 hits"]
    assert [en.joined(["a", "b", "c"][:size]) for size in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_an_unknown_language_is_english() -> None:
    assert book("nl").sentence("go", who="a", there=book("nl").at("BAR")) == "A goes in Brabant."


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.parent.name)
def test_every_language_tells_the_same(path: Path) -> None:
    texts = json.loads(path.read_text(encoding="utf-8"))
    assert set(texts) == {"en", "de", "fr", "it"}
    places = {key: set(re.findall(r"{(\w+)}", text)) for key, text in texts["en"]["say"].items()}
    for language, told in texts.items():
        assert {key: set(re.findall(r"{(\w+)}", text)) for key, text in told["say"].items()} == places, language
        same = [key for key, text in told["say"].items() if text == texts["en"]["say"][key]]
        assert language == "en" or len(same) < 8, same
        assert {unit for unit in told["units"] if not unit.startswith("roll_")} == set(texts["en"]["units"])
