"""What is raised in English is told in every language: nothing is missing, nothing unused, nothing mistaken."""

import json
import re
import string
from pathlib import Path

import pytest

from arena.words.catalogue import LANGUAGES
from arena.words.telling import LONGEST_TOLD, TOLD_PLACES, Sentence, hear, read_sentences, sentences, tell
from tests.support.raised import PLACE, joined_sources, raised_sentences
from tests.support.sources import ROOT

TRANSLATED = frozenset(LANGUAGES) - {"en"}
LEFT = Path(__file__).with_name("left_in_english.txt")
"""Sentences that are raised and not told yet: `file: sentence`. The list only ever grows shorter."""
NOT_IN_SOURCES = ("foreign.json", "composed.json")
"""Sentences of the system and of the parser of command lines, and those that are put together of several texts."""


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def filled(sentence: Sentence) -> tuple[str, dict[str, str]]:
    """The English sentence with something in each place, and what was put there."""
    values = {name: f"'{name}-7'" for name in sentence.places}
    text = sentence.literals[0]
    for name, literal in zip(sentence.places, sentence.literals[1:], strict=True):
        text += values[name] + literal
    return text, values


def parts(english: str) -> list[str]:
    """What a sentence of the catalogue is between its places, as the sources have it."""
    return [literal for literal, _, _, _ in string.Formatter().parse(english)]


def test_every_sentence_is_told_in_every_language_with_the_same_places() -> None:
    for english, told in read_sentences().items():
        assert told.keys() == TRANSLATED, english
        for language, text in told.items():
            assert places(text) == places(english), (language, english)
            assert text.strip(), (language, english)


def test_a_sentence_is_heard_whatever_stands_in_its_places() -> None:
    for sentence in sentences():
        text, values = filled(sentence)
        heard = hear(text)
        assert heard is not None
        assert (heard.sentence.literals, heard.values) == (sentence.literals, values), text


def test_every_place_has_a_name_of_its_own_and_none_follows_another() -> None:
    for sentence in sentences():
        assert len(set(sentence.places)) == len(sentence.places), sentence
        assert all(sentence.literals[1:-1]), sentence


def test_every_sentence_is_said_somewhere_in_the_sources() -> None:
    said = joined_sources()
    files = [file for file in ROOT.glob("arena/words/sentences/*.json") if file.name not in NOT_IN_SOURCES]
    own = [english for file in files for english in json.loads(file.read_text(encoding="utf-8"))]
    assert len(own) > 100
    assert [english for english in own if not all(part in said for part in parts(english))] == []


def test_whatever_is_raised_is_told_or_on_the_list_of_what_is_left() -> None:
    found = {f"{path}: {text.replace(PLACE, '{}')}" for path, text in raised_sentences() if not is_told(text)}
    assert sorted(found) == LEFT.read_text(encoding="utf-8").splitlines()


def is_told(text: str) -> bool:
    return hear(text.replace(PLACE, "'something'")) is not None


def test_french_has_no_break_before_its_points() -> None:
    broken = re.compile(r" [;?!»]|[^:] :(\s|$)")
    for told in read_sentences().values():
        assert not broken.search(told["fr"]), told["fr"]


def test_an_error_is_told_with_its_remedy_and_what_it_names() -> None:
    english = (
        "there is no bot 'gredy'; did you mean 'greedy'? `arena bot list` shows all, `arena bot add` or `bot submit` "
        "adds one"
    )
    assert tell(english, "de") == (
        "es gibt keinen Bot 'gredy'; gemeint war vielleicht 'greedy'? `arena bot list` zeigt alle, `arena bot add` "
        "oder `bot submit` fügt einen hinzu"
    )
    assert tell(english, "en") == english


def test_what_is_not_in_the_catalogue_stays_as_it_is() -> None:
    assert tell("the moon is made of cheese", "fr") == "the moon is made of cheese"
    assert tell("", "de") == ""


@pytest.mark.parametrize("value", ["{why}", "{0}", "%s", "a; b", "<script>", "x" * LONGEST_TOLD, "\u200f"])
def test_what_a_stranger_wrote_is_put_in_as_it_is(value: str) -> None:
    for language in TRANSLATED:
        assert value in tell(f"match 'a' is void: {value}; `arena match show` tells more", language)


def test_sentences_are_told_in_each_other_only_so_deep() -> None:
    deep = "x: " * 50 + "Permission denied"
    assert tell(deep, "de").endswith("Permission denied")


def test_places_that_hold_sentences_are_used() -> None:
    assert {name for english in read_sentences() for name in places(english)} >= TOLD_PLACES
