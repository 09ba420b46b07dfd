"""Plain words of which the id is not known are still translated, by their wording."""

import string
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest

from arena.i18n.catalogue import LANGUAGES
from arena.i18n.remainder import LONGEST_TOLD, SENTENCE_PLACES, Heard, Sentence, hear, read_templates, sentences
from arena.i18n.translation import translate
from tests.support.raised import PLACE

TRANSLATED = frozenset(LANGUAGES) - {"en"}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def filled(sentence: Sentence) -> tuple[str, dict[str, str]]:
    """The English sentence with something in each place, and what was put there."""
    values = {name: f"'{name}-7'" for name in sentence.places}
    text = sentence.literals[0]
    for name, literal in zip(sentence.places, sentence.literals[1:], strict=True):
        text += values[name] + literal
    return text, values


def shape(english: str) -> str:
    """A sentence without the names of its places."""
    return PLACE.join(parts(english))


def parts(english: str) -> list[str]:
    """What a template is between its places."""
    return [literal for literal, _, _, _ in string.Formatter().parse(english)]


def test_a_sentence_is_heard_whatever_stands_in_its_places() -> None:
    for sentence in sentences()[0]:
        text, values = filled(sentence)
        heard = hear(text)
        assert heard is not None
        assert (heard.sentence.literals, heard.values) == (sentence.literals, values), text


def test_no_sentence_stands_twice() -> None:
    shapes = [shape(english) for english in read_templates()]
    assert [one for one, count in Counter(shapes).items() if count > 1] == []


def test_every_place_has_a_name_of_its_own_and_none_follows_another() -> None:
    for sentence in chain(*sentences()):
        assert len(set(sentence.places)) == len(sentence.places), sentence
        assert all(sentence.literals[1:-1]), sentence


def test_an_error_is_told_with_its_remedy_and_what_it_names() -> None:
    english = (
        "there is no bot 'gredy'; did you mean 'greedy'? `arena bot list` shows all, `arena bot add` or `bot submit` "
        "adds one"
    )
    assert translate(english, "de") == (
        "es gibt keinen Bot 'gredy'; gemeint war vielleicht 'greedy'? `arena bot list` zeigt alle, `arena bot add` "
        "oder `bot submit` fügt einen hinzu"
    )
    assert translate(english, "en") == english


def test_what_is_not_in_the_catalogue_stays_as_it_is() -> None:
    assert translate("Lyon: il pleut", "fr") == "Lyon: il pleut"
    assert translate("the moon is made of cheese", "fr") == "the moon is made of cheese"
    assert translate("", "de") == ""


@pytest.mark.parametrize("value", ["{why}", "{0}", "%s", "a; b", "<script>", "x" * LONGEST_TOLD, "\u200f"])
def test_what_a_stranger_wrote_is_put_in_as_it_is(value: str) -> None:
    for language in TRANSLATED:
        assert value in translate(f"match 'a' is void: {value}; `arena match show` tells more", language)


def test_sentences_are_told_in_each_other_only_so_deep() -> None:
    deep = "x: " * 50 + "Permission denied"
    assert translate(deep, "de").endswith("Permission denied")


def test_places_that_hold_sentences_are_used() -> None:
    assert {name for english in read_templates() for name in places(english)} >= SENTENCE_PLACES


def unheard(text: str) -> list[str]:
    """What of a text is not in the catalogue although it stands where a sentence does."""
    heard = hear(text)
    return [text] if heard is None else [part for place in _holds(heard) for part in unheard(heard.values[place])]


def _holds(heard: Heard) -> list[str]:
    return sorted(SENTENCE_PLACES & heard.values.keys())


def unheard_of(texts: Iterable[str]) -> dict[str, list[str]]:
    """The same for each of several texts, without those of which everything is."""
    return {text: left for text in texts if (left := unheard(text))}


def test_whatever_is_stored_is_told_to_its_last_part() -> None:
    stored = Path(__file__).with_name("stored.txt").read_text(encoding="utf-8").splitlines()
    assert len(stored) > 10
    assert unheard_of(stored) == {}
    assert [(text, language) for text in stored for language in TRANSLATED if translate(text, language) == text] == []
