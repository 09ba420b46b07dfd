"""Every message is in every language: nothing is missing, nothing unused, nothing mistaken."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from arena.i18n.catalogue import LANGUAGES, read_messages, translate
from arena.service.server.errors import shortened
from arena.wire.status import TEXT_KEY, Status, decode_status, encode_status
from engine.translatable import Text, english, parts_of, placed, text_from_json, with_parts, without_place
from ratings.errors import NotFoundError
from ratings.read.identifying import only_one
from tests.support.sources import GENERATED, sources_below, statements_of, text_of

TOPS = ("arena", "engine", "ratings")
PLACE = "\x00"
"""Stands in a sentence for what is filled in."""
INWARD = (
    *GENERATED,
    "arena/adapters",
    "arena/rpc/protobuf_codec.py",
    "arena/api.py",
    "arena/executor",
    "arena/hosting/framed_pipe.py",
    "arena/hosting/launcher",
    "arena/hosting/procfs",
    "arena/hosting/sandbox/inside",
    "arena/match/time_control.py",
    "arena/referee",
    "arena/scripting",
    "arena/web/people",
    "arena/wire",
    "arena/worker",
    "ratings/ledger/tournaments.py",
    "ratings/statistics",
)
"""What is raised there tells programmers of a mistake, or is told in other words where it reaches a person."""
_NEWS = {"Note", "failed", "noted", "passed", "skipped"}
"""What makes a piece of news of a bridge, or what a check found."""
_MAY_TELL = re.compile(rf"\braise\b|\b({'|'.join(sorted(_NEWS))})\(")
"""Stands in every file that is worth parsing."""
_INWARD_ERRORS = {
    "AssertionError",
    "AttributeError",
    "ConformanceError",
    "FactError",
    "GameOverError",
    "IllegalActionError",
    "InvariantError",
    "KeyError",
    "LookupError",
    "PositionError",
    "RecordError",
    "ScriptError",
    "TypeError",
    "ValueError",
    "WeightsFileError",
}


@dataclass(frozen=True, slots=True)
class Said:
    """One place in the sources that makes a text."""

    where: str
    template: str
    parts: Sequence[str]


@cache
def said_texts() -> Sequence[Said]:
    """Return every text that the sources say; their templates are literals."""
    return [
        _said(path, node)
        for path in sources_below(*TOPS)
        if "from engine.translatable import" in text_of(path) or "class Text(str)" in text_of(path)
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Text"
    ]


def _said(path: Path, call: ast.Call) -> Said:
    (template,) = map(str, map(ast.literal_eval, call.args))
    return Said(f"{path}:{call.lineno}", template, [str(word.arg) for word in call.keywords])


def places_of(template: str) -> set[str]:
    """Return the names of the places of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def raised_sentences() -> Iterator[tuple[str, str]]:
    """Yield the file and the text of each sentence that is raised, or told as news, where it may reach a person."""
    for path in sources_below(*TOPS):
        if not str(path).startswith(INWARD) and _MAY_TELL.search(text_of(path)):
            for node in statements_of(path):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and not _is_inward(node.exc):
                    yield from _raised(path, node.exc)
                elif isinstance(node, ast.Expr | ast.Return | ast.Assign):
                    yield from _told_as_news(path, node)


def _told_as_news(path: Path, statement: ast.stmt) -> Iterator[tuple[str, str]]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NEWS:
            yield from _raised(path, node)


def _raised(path: Path, call: ast.Call) -> Iterator[tuple[str, str]]:
    for argument in [*call.args, *(word.value for word in call.keywords)]:
        for text in _texts(argument):
            if " " in text.replace(PLACE, "").strip():
                yield str(path), text


def _is_inward(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _INWARD_ERRORS or name == "unknown"


def _texts(node: ast.expr) -> list[str]:
    """Return what an expression says; more than one text if it chooses, none if it is made elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else PLACE for part in node.values)]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [left + right for left, right in product(_texts(node.left), _texts(node.right))]
    return []


LEFT = Path(__file__).with_name("left_in_english.txt")
"""Sentences that are raised in English and are no texts yet: `file: sentence`. The list only ever grows shorter."""
TRANSLATED = sorted(frozenset(LANGUAGES) - {"en"})
ENGLISH = "there is no bot 'elk'; add it"
"""The text below, as it reads in English."""


def test_a_text_is_said_with_what_stands_in_its_places() -> None:
    wrong = [one for one in said_texts() if places_of(one.template) != set(one.parts)]
    assert wrong == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_in_every_language_with_the_same_places_and_none_is_unused(language: str) -> None:
    messages = read_messages(language)
    assert len(messages) > 1000
    assert messages.keys() == {one.template for one in said_texts()}
    for template, text in messages.items():
        assert isinstance(text, str)
        assert text.strip(), template
        assert places_of(text) == places_of(template), template


def test_french_has_no_break_before_its_points() -> None:
    broken = re.compile(r" [;?!»]|[^:] :(\s|$)")
    assert [text for text in read_messages("fr").values() if broken.search(text)] == []


def test_whatever_is_raised_is_a_text_or_on_the_list_of_what_is_left() -> None:
    found = {f"{path}: {text.replace(PLACE, '{}')}" for path, text in raised_sentences()}
    assert sorted(found) == LEFT.read_text(encoding="utf-8").splitlines()


def text_within_a_text() -> Text:
    why = Text("there is no bot {name}; add it", name=repr("elk"))
    return Text("refused after {count} s: {why}", count=3, why=ValueError(why))


def test_a_text_is_its_english_sentence() -> None:
    text = text_within_a_text()
    assert text == f"refused after 3 s: {ENGLISH}"
    assert json.loads(json.dumps([text])) == [text]
    assert (text.template, text.parts) == ("refused after {count} s: {why}", {"count": 3, "why": ENGLISH})


def test_an_error_that_is_raised_with_a_text_says_it_whole() -> None:
    text = text_within_a_text()
    assert str(ValueError(text)) is text


def vars_of(text: str) -> tuple[object, ...]:
    return (text, text.template, text.parts, text.foreign) if isinstance(text, Text) else (text,)


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
    assert (again, again.template, again.parts, again.foreign) == (text, text.template, text.parts, True)
    assert type(english(again)) is str
    within = again.parts["why"]
    assert isinstance(within, Text)
    assert (within.template, within.parts) == ("there is no bot {name}; add it", {"name": "'elk'"})


@pytest.mark.parametrize(
    "data", [None, 7, [], {}, {"template": 7, "parts": {}}, {"template": "a"}, {"template": "a", "parts": []}]
)
def test_what_are_no_parts_leaves_plain_words(data: object) -> None:
    assert type(text_from_json("plain words", data)) is str


def test_texts_are_read_in_each_other_only_so_deep() -> None:
    data: dict[str, object] = {"template": "a", "parts": {}}
    for _ in range(100):
        data = {"template": "a", "parts": {"why": {"english": "deep", **data}}}
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
    text = Text("there is no bot {name}; {remedy}", name=value, remedy="add it")
    assert all(value in translate(text, language) != text for language in TRANSLATED)


def test_plain_words_stay_as_they_are() -> None:
    assert [translate(words, "fr") for words in ("there is no bot 'elk'", "")] == ["there is no bot 'elk'", ""]


def test_a_text_that_no_catalogue_has_stays_english() -> None:
    assert translate(Text("made of {what}", what="cheese"), "de") == "made of cheese"
    assert translate(Text("there is no bot"), "xx") == "there is no bot"


def test_a_text_whose_parts_do_not_fit_stays_english() -> None:
    known = next(one.template for one in said_texts() if places_of(one.template))
    assert translate(text_from_json("something", {"template": known, "parts": {}}), "de") == "something"


@pytest.mark.parametrize(
    ("noun", "text", "see", "german"),
    [
        (
            "match",
            "262",
            Text("see: arena tournament show TOURNAMENT --matches"),
            "keine Partie '262'; {}; siehe: arena tournament show TURNIER --matches",
        ),
        (
            "pool",
            "26",
            Text("see: arena leaderboard"),
            "kein Pool '26'; {}; siehe: arena leaderboard",
        ),
        (
            "tournament",
            "2",
            Text("see: arena tournament list"),
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
    text = Text("refused: {why}", why="x" * 3000)
    read = decode_status(encode_status(Status(5, "NOT_FOUND", text)))
    assert read.message == text
    assert not isinstance(read.message, Text)


@pytest.mark.parametrize(
    "data", ["", "{", "[]", "7", '{"template": "gone"}', "[" * 100_000, '{"template": 1, "parts": {}}']
)
def test_what_a_stranger_sends_as_a_text_is_plain_words(data: str) -> None:
    read = decode_status(encode_status(Status(5, "NOT_FOUND", "plain", {TEXT_KEY: data})))
    assert (type(read.message), read.message) == (str, "plain")


def test_a_text_of_a_stranger_that_no_catalogue_has_stays_english() -> None:
    data = json.dumps({"template": "made of {what}", "parts": {"what": "<b>"}})
    read = decode_status(encode_status(Status(5, "NOT_FOUND", "made of <b>", {TEXT_KEY: data})))
    assert [translate(read.message, language) for language in LANGUAGES] == ["made of <b>"] * len(LANGUAGES)


@pytest.mark.parametrize("template", ["../../etc/passwd", "{0}", "{why.__class__}", "{", "", "{why!r:>9999999999}"])
def test_a_template_of_a_stranger_is_never_filled_in(template: str) -> None:
    read = text_from_json("plain", {"template": template, "parts": {"why": "x"}})
    assert translate(read, "de") == "plain"
    assert with_parts(read, str.upper) == "PLAIN"


def test_a_message_that_is_too_long_loses_the_middle_of_its_longest_part_and_stays_a_text() -> None:
    text = Text("there is no bot {name}; {remedy}", name="x" * 5000, remedy="add it")
    cut = shortened(text)
    assert isinstance(cut, Text)
    assert len(cut) < len(text)
    assert cut.startswith("there is no bot xxx")
    assert "xxx...xxx" in cut
    assert cut.endswith("xxx; add it")
    assert cut.parts["remedy"] == "add it"
    assert cut == shortened(english(text))
