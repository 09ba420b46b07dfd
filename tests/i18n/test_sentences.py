"""What is raised in English is told in every language: nothing is missing, nothing unused, nothing mistaken."""

import json
import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from arena.hosting.cgroups.unified import GIVE
from arena.i18n.catalogue import LANGUAGES
from arena.i18n.telling import LONGEST_TOLD, TOLD_PLACES, Sentence, hear, read_sentences, sentences, tell
from tests.support.raised import PLACE, joined_sources, raised_sentences
from tests.support.sources import ROOT

TRANSLATED = frozenset(LANGUAGES) - {"en"}
LEFT = Path(__file__).with_name("left_in_english.txt")
"""Sentences that are raised and not told yet: `file: sentence`. The list only ever grows shorter."""
PUT_TOGETHER = {
    "{} does not start: {}{}; mend it and try again, `arena match run` plays it here": (
        "my-bot does not start: Permission denied; mend it and try again, `arena match run` plays it here"
    ),
    "bytes follow the end of the archive; {}": (
        "bytes follow the end of the archive; let the arena's own command pack the bot"
    ),
    "this is no archive of a bot; {}": "this is no archive of a bot; let the arena's own command pack the bot",
    "{} is {}, and a bot holds files alone; {}": (
        "'a/b' is a device, and a bot holds files alone; let the arena's own command pack the bot"
    ),
    "has a backslash; {}": "'a' has a backslash; rename it",
    "has a control character or an invisible one; {}": "'a' has a control character or an invisible one; rename it",
    "has a part '..'; leave it out": "'a' has a part '..'; leave it out",
    "has a part of over {} bytes; shorten it": "'a' has a part of over 9 bytes; shorten it",
    "has a part that ends with a dot or a space; {}": "'a' has a part that ends with a dot or a space; rename it",
    "has an empty part; leave it out": "'a' has an empty part; leave it out",
    "has over {} bytes or {} parts; shorten it": "'a' has over 9 bytes or 2 parts; shorten it",
    "is an absolute path; name it relative to the bot's directory": (
        "'/a' is an absolute path; name it relative to the bot's directory"
    ),
    "is hidden, and hidden files are never part of a bot; rename it": (
        "'.a' is hidden, and hidden files are never part of a bot; rename it"
    ),
    "is not UTF-8; {}": "'a' is not UTF-8; rename it",
    "{}runtime is {}, and there is no file {} in the directory": (
        "bot/bot.toml: runtime is 'bundled', and there is no file 'x' in the directory"
    ),
    "{}the program {} is neither in the directory nor {}{}": (
        "the program 'make' is neither in the directory nor on PATH; install it, on Debian with `apt install make`"
    ),
    "{}the program {} is not executable; run chmod +x on it": (
        "bot/bot.toml: the program 'x' is not executable; run chmod +x on it"
    ),
    "the disk of the service is nearly full": (
        "the disk of the service is nearly full; what has arrived is kept, submit again later"
    ),
    "the service cannot store the upload ({})": (
        "the service cannot store the upload (File name too long); what has arrived is kept, submit again later"
    ),
    "{} was not written: {}; {}, or name a file elsewhere; nothing was left behind": (
        "a.tar was not written: no room is left on its disk; make room there, or name a file elsewhere; nothing was "
        "left behind"
    ),
    "{} has no {}{}; it has: {}": "foreign_king has no option 'x'; it has: bank, coins",
    "{} a token {} already; revoke it, or choose another name": (
        "there is a token 'a' already; revoke it, or choose another name"
    ),
    "no {} {}; {}": "no match 'abc'; see: arena tournament show TOURNAMENT --matches",
    "{} fits {} {}{}: {}; give {}; {}": (
        "'abcd' fits 2 tournaments: a (abcd1), b (abcd2); give more digits of the id; see: arena tournament list"
    ),
    "there is no program {}{}": "there is no program 'gcc'; install it, on Debian with `apt install gcc`",
    "the arena ended the stream with OK{}": (
        "the arena ended the stream with OK; its process ended with status 1; nothing on stderr"
    ),
    "the arena's own control group is not shown here; {}": (
        "the arena's own control group is not shown here; mount cgroup2 at /sys/fs/cgroup, or take a machine with "
        "systemd"
    ),
    "the control group {} cannot be written; {}": f"the control group /a cannot be written; {GIVE}",
    "the control group {} cannot be divided; {}": f"the control group /a cannot be divided; {GIVE}",
    "the control group {} was not given to the arena; {}": f"the control group /a was not given to the arena; {GIVE}",
    "{}, and the process exited with status 0": (
        "the stream was ended with INTERNAL, and the process exited with status 0"
    ),
    "{}, and the process lives on after {} s": (
        "the stream was ended with INTERNAL, and the process lives on after 5 s"
    ),
    "{}: {}, and stderr does not show that message, but {}": (
        "the stream was ended with INTERNAL: 'Oh', and stderr does not show that message, but 'nothing'"
    ),
    "Joined named protocol 2.3, and stderr says nothing of it{}": (
        "Joined named protocol 2.3, and stderr says nothing of it; its process ended with SIGKILL; nothing on stderr"
    ),
    "the stream ended before everything was sent{}": (
        "the stream ended before everything was sent; it ended its stream; the last line on stderr is 'x'"
    ),
    "the stream ended {}{}": "the stream ended after Joined; it ended its stream; nothing on stderr",
    "{}; those that are too many are not played": (
        "the service begins more than 3 matches at once; those that are too many are not played"
    ),
    "Processes that had played before played {} more {}.{}": "Processes that had played before played 3 more matches.",
    "{} Leave when the stream ends, or what you would still do is lost.": (
        "Its processes did not end within half a second after their stream was closed, and had to be ended. Leave when "
        "the stream ends, or what you would still do is lost."
    ),
}
"""Sentences that have no wording of their own where they are raised, each with what becomes of it."""
SOMETHING = "'something'"
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


def shape(english: str) -> str:
    """A sentence without the names of its places."""
    return PLACE.join(parts(english))


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
    for sentence in sentences()[0]:
        text, values = filled(sentence)
        heard = hear(text)
        assert heard is not None
        assert (heard.sentence.literals, heard.values) == (sentence.literals, values), text


def test_no_sentence_stands_twice() -> None:
    files = sorted(ROOT.glob("arena/i18n/sentences/*.json"))
    shapes = [shape(english) for file in files for english in json.loads(file.read_text(encoding="utf-8"))]
    assert [one for one, count in Counter(shapes).items() if count > 1] == []


def test_every_place_has_a_name_of_its_own_and_none_follows_another() -> None:
    for sentence in chain(*sentences()):
        assert len(set(sentence.places)) == len(sentence.places), sentence
        assert all(sentence.literals[1:-1]), sentence


def test_every_sentence_is_said_somewhere_in_the_sources() -> None:
    said = joined_sources()
    files = [file for file in ROOT.glob("arena/i18n/sentences/*.json") if file.name not in NOT_IN_SOURCES]
    own = [english for file in files for english in json.loads(file.read_text(encoding="utf-8"))]
    assert len(own) > 100
    unsaid = {part for part in {part for english in own for part in parts(english)} if part not in said}
    assert [english for english in own if not unsaid.isdisjoint(parts(english))] == []


def test_whatever_is_raised_is_told_or_on_the_list_of_what_is_left() -> None:
    found = {f"{path}: {one}" for path, one in untold_sentences() if one not in PUT_TOGETHER}
    assert sorted(found) == LEFT.read_text(encoding="utf-8").splitlines()


@cache
def untold_sentences() -> Sequence[tuple[str, str]]:
    return [(path, text.replace(PLACE, "{}")) for path, text in raised_sentences() if not is_told(text)]


def test_a_sentence_that_is_put_together_is_told_as_a_whole() -> None:
    assert [example for example in PUT_TOGETHER.values() if not is_told(example)] == []


def test_every_sentence_that_is_put_together_is_still_raised() -> None:
    assert PUT_TOGETHER.keys() <= {one for _, one in untold_sentences()}


def is_told(text: str) -> bool:
    """Whether a sentence of the sources is in the catalogue, itself and what it says in its places."""
    heard = hear(text.replace(PLACE, SOMETHING))
    return heard is not None and all(
        value == SOMETHING or (place in heard.within and is_told(value))
        for place, value in heard.values.items()
        if place in TOLD_PLACES
    )


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


@pytest.mark.parametrize(
    ("before", "after", "german_before", "german_after"),
    [
        (
            "no match '262'",
            "see: arena tournament show TOURNAMENT --matches",
            "keine Partie '262'",
            "siehe: arena tournament show TURNIER --matches",
        ),
        ("no pool '26'", "see: arena leaderboard", "kein Pool '26'", "siehe: arena leaderboard"),
        ("no tournament '2'", "see: arena tournament list", "kein Turnier '2'", "siehe: arena tournament list"),
        (
            "there is no tournament 'cab'",
            "`arena tournament list` shows all",
            "es gibt kein Turnier 'cab'",
            "`arena tournament list` zeigt alle",
        ),
    ],
)
def test_that_a_part_of_an_id_is_too_short_is_told_whole(
    before: str, after: str, german_before: str, german_after: str
) -> None:
    english = f"{before}; a part of an id needs at least 4 characters; {after}"
    german = f"{german_before}; ein Teil einer Kennung braucht mindestens 4 Zeichen; {german_after}"
    assert tell(english, "de") == german


def test_what_is_not_in_the_catalogue_stays_as_it_is() -> None:
    assert tell("Lyon: il pleut", "fr") == "Lyon: il pleut"
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
