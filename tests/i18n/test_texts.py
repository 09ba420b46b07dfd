"""What the program says by an id is in every language: nothing is missing, nothing unused, nothing mistaken."""

import copy
import json
import pickle
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.i18n.catalogue import LANGUAGES, read_texts, translate
from arena.service.server.errors import shortened
from arena.wire.status import TEXT_KEY, Status, decode_status, encode_status
from engine.text import Text, english, parts_of, placed, text_from_json, with_parts, without_place
from ratings.errors import NotFoundError
from ratings.read.identifying import only_one
from tests.support.raised import PLACE, places_of, raised_sentences, said_texts

LEFT = Path(__file__).with_name("left_in_english.txt")
"""Sentences that are raised in English and are no texts yet: `file: sentence`. The list only ever grows shorter."""
TRANSLATED = sorted(frozenset(LANGUAGES) - {"en"})
ENGLISH = "there is no bot 'elk'; add it"
"""The text below, as it reads in English."""


@cache
def templates() -> dict[str, set[str]]:
    """The English templates of each id that the sources say."""
    found: dict[str, set[str]] = {}
    for one in said_texts():
        found.setdefault(one.id, set()).add(one.template)
    return found


def test_every_id_stands_for_one_text() -> None:
    assert {text_id: english for text_id, english in templates().items() if len(english) > 1} == {}


def test_a_text_is_said_with_what_stands_in_its_places() -> None:
    wrong = [one for one in said_texts() if places_of(one.template) != set(one.parts)]
    assert wrong == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_in_every_language_with_the_same_places_and_none_is_unused(language: str) -> None:
    areas = {text_id.partition(".")[0] for text_id in read_texts("en")}
    texts = {text_id: text for text_id, text in read_texts(language).items() if text_id.partition(".")[0] not in areas}
    assert len(texts) > 1000
    known = {text_id: next(iter(english)) for text_id, english in templates().items()}
    assert texts.keys() == known.keys()
    for text_id, text in texts.items():
        assert isinstance(text, str)
        assert text.strip(), text_id
        assert places_of(text) == places_of(known[text_id]), text_id


def test_french_has_no_break_before_its_points() -> None:
    broken = re.compile(r" [;?!»]|[^:] :(\s|$)")
    areas, texts = {text_id.partition(".")[0] for text_id in read_texts("en")}, read_texts("fr")
    own = [str(text) for text_id, text in texts.items() if text_id.partition(".")[0] not in areas]
    assert [text for text in own if broken.search(text)] == []


def test_whatever_is_raised_is_a_text_or_on_the_list_of_what_is_left() -> None:
    found = {f"{path}: {text.replace(PLACE, '{}')}" for path, text in raised_sentences()}
    assert sorted(found) == LEFT.read_text(encoding="utf-8").splitlines()


def text_within_a_text() -> Text:
    why = Text("ratings.no_bot", "there is no bot {name}; add it", name=repr("elk"))
    return Text("app.refused", "refused after {count} s: {why}", count=3, why=ValueError(why))


def test_a_text_is_its_english_sentence() -> None:
    text = text_within_a_text()
    assert text == f"refused after 3 s: {ENGLISH}"
    assert json.loads(json.dumps([text])) == [text]
    assert (text.id, text.parts) == ("app.refused", {"count": 3, "why": ENGLISH})


def test_an_error_that_is_raised_with_a_text_says_it_whole() -> None:
    text = text_within_a_text()
    assert str(ValueError(text)) is text


def vars_of(text: str) -> tuple[object, ...]:
    return (text, text.id, text.template, text.parts) if isinstance(text, Text) else (text,)


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda text: pickle.loads(pickle.dumps(text))])
def test_a_text_is_copied_whole(remake: object) -> None:
    text = text_within_a_text()
    assert callable(remake)
    again = remake(text)
    assert vars_of(again) == vars_of(text)
    assert again.parts["why"].parts == {"name": "'elk'"}
    error = pickle.loads(pickle.dumps(ValueError(text)))
    assert vars_of(str(error)) == vars_of(text)


def test_a_text_is_read_back_from_its_parts() -> None:
    text = text_within_a_text()
    again = text_from_json(f"refused after 3 s: {ENGLISH}", json.loads(json.dumps(parts_of(text))))
    assert isinstance(again, Text)
    assert (again, again.id, again.parts) == (text, text.id, text.parts)
    assert type(english(again)) is str
    within = again.parts["why"]
    assert isinstance(within, Text)
    assert (within.id, within.parts) == ("ratings.no_bot", {"name": "'elk'"})


@pytest.mark.parametrize("data", [None, 7, [], {}, {"id": 7, "parts": {}}, {"id": "a.b"}, {"id": "a", "parts": []}])
def test_what_are_no_parts_leaves_plain_words(data: object) -> None:
    assert type(text_from_json("plain words", data)) is str


def test_texts_are_read_in_each_other_only_so_deep() -> None:
    data: dict[str, object] = {"id": "a.b", "parts": {}}
    for _ in range(100):
        data = {"id": "a.b", "parts": {"why": {"english": "deep", **data}}}
    assert text_from_json("deep", data) == "deep"


def test_what_stands_in_places_is_changed_at_any_depth() -> None:
    changed = with_parts(text_within_a_text(), str.upper)
    assert changed == "refused after 3 s: there is no bot 'ELK'; add it"
    assert with_parts("plain", str.upper) == "PLAIN"


def test_what_is_wrong_is_told_without_its_place() -> None:
    why = text_within_a_text()
    assert without_place(placed("/a/bot.toml", why), "/a/bot.toml") is why
    assert without_place("/a: gone", "/a") == "gone"
    elsewhere = placed("/b", why)
    assert without_place(elsewhere, "/a") is elsewhere


@pytest.mark.parametrize("value", ["{why}", "{0}", "%s", "a; b", "<script>", "x" * 4000, "\u200f"])
def test_what_a_stranger_wrote_is_put_in_as_it_is(value: str) -> None:
    text = Text("app.no_bot", "there is no bot {name}; {remedy}", name=value, remedy="add it")
    assert all(value in translate(text, language) != text for language in TRANSLATED)


def test_plain_words_stay_as_they_are() -> None:
    assert [translate(words, "fr") for words in ("there is no bot 'elk'", "")] == ["there is no bot 'elk'", ""]


def test_a_text_that_no_catalogue_has_stays_english() -> None:
    assert translate(Text("moon.cheese", "made of {what}", what="cheese"), "de") == "made of cheese"
    assert translate(Text("ratings.no_bot", "there is no bot"), "xx") == "there is no bot"


def test_a_text_whose_parts_do_not_fit_stays_english() -> None:
    known = next(text_id for text_id, english in templates().items() if places_of(next(iter(english))))
    assert translate(Text(known, "something"), "de") == "something"


@pytest.mark.parametrize(
    ("noun", "text", "see", "german"),
    [
        (
            "match",
            "262",
            Text("ratings.see_arena_tournament_show_tournament", "see: arena tournament show TOURNAMENT --matches"),
            "keine Partie '262'; {}; siehe: arena tournament show TURNIER --matches",
        ),
        (
            "pool",
            "26",
            Text("ratings.see_arena_leaderboard", "see: arena leaderboard"),
            "kein Pool '26'; {}; siehe: arena leaderboard",
        ),
        (
            "tournament",
            "2",
            Text("ratings.see_arena_tournament_list", "see: arena tournament list"),
            "kein Turnier '2'; {}; siehe: arena tournament list",
        ),
    ],
)
def test_that_a_part_of_an_id_is_too_short_is_told_whole(noun: Any, text: str, see: Text, german: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        only_one(text, noun, [], see)
    assert str(caught.value) == f"no {noun} {text!r}; a part of an id needs at least 4 characters; {see}"
    assert translate(str(caught.value), "de") == german.format("ein Teil einer Kennung braucht mindestens 4 Zeichen")


def test_the_message_of_an_error_is_a_text_again_behind_the_wire() -> None:
    text = text_within_a_text()
    read = decode_status(encode_status(Status(5, "NOT_FOUND", text, {"offset": "7"})))
    assert vars_of(read.message)[:2] == vars_of(text)[:2]
    assert read.metadata == {"offset": "7"}
    assert decode_status(encode_status(Status(5, "NOT_FOUND", "plain"))).message == "plain"


def test_a_text_with_too_much_in_it_travels_as_plain_words() -> None:
    text = Text("app.refused", "refused: {why}", why="x" * 3000)
    read = decode_status(encode_status(Status(5, "NOT_FOUND", text)))
    assert read.message == text
    assert not isinstance(read.message, Text)


@pytest.mark.parametrize("data", ["", "{", "[]", "7", '{"id": "app.refused"}', "[" * 100_000, '{"id": 1, "parts": {}}'])
def test_what_a_stranger_sends_as_a_text_is_plain_words(data: str) -> None:
    read = decode_status(encode_status(Status(5, "NOT_FOUND", "plain", {TEXT_KEY: data})))
    assert (type(read.message), read.message) == (str, "plain")


def test_a_text_of_a_stranger_that_no_catalogue_has_stays_english() -> None:
    data = json.dumps({"id": "moon.cheese", "parts": {"what": "<b>"}})
    read = decode_status(encode_status(Status(5, "NOT_FOUND", "made of <b>", {TEXT_KEY: data})))
    assert [translate(read.message, language) for language in LANGUAGES] == ["made of <b>"] * len(LANGUAGES)


@pytest.mark.parametrize("text_id", ["../../etc/passwd.x", "a/b.c", ".", "", "moon", "app"])
def test_an_id_of_a_stranger_names_no_file(text_id: str) -> None:
    read = text_from_json("plain", {"id": text_id, "parts": {}})
    assert translate(read, "de") == "plain"


def test_a_message_that_is_too_long_loses_the_middle_of_its_longest_part_and_stays_a_text() -> None:
    text = Text("app.no_bot", "there is no bot {name}; {remedy}", name="x" * 5000, remedy="add it")
    cut = shortened(text)
    assert isinstance(cut, Text)
    assert len(cut) < len(text)
    assert cut.startswith("there is no bot xxx")
    assert "xxx...xxx" in cut
    assert cut.endswith("xxx; add it")
    assert cut.parts["remedy"] == "add it"
    assert cut == shortened(english(text))
