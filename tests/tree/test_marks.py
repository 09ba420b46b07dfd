"""What tests need, and what they hold against hostile bots and sick hosts, is named: all of it, each thing once."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support import needs
from tests.support.marked_names import MARKS, all_names
from tests.support.reporting import report
from tests.support.sources import ROOT, facts_of, text_of

HONEST = {
    *("with-note", "many-at-once", "resign", "work-before-joining", "wait-for-file"),
    *("think-for-a-second", "think-for-a-minute", "late-inside-the-margin", "use-what-is-counted-by-user"),
}
"""Behaviours of the zoo that harm nobody, and that no rule forbids."""
UNLIKE = [
    {"wrong-token", "wrong-tokens"},  # one at its start; thousands
]
"""Names of different things that differ by no more than a spelling."""
SMALL_WORDS = {"a", "an", "the", "of", "its", "their", "that", "with", "to", "in", "for", "from", "by", "and", "is"}


@pytest.fixture(scope="module")
def named() -> dict[str, frozenset[str]]:
    """By mark, every name that it gives."""
    return {mark: all_names(mark) for mark in MARKS}


def test_tests_need_nothing_but_what_the_table_of_needs_has_and_everything_in_it() -> None:
    places = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")]
    marks = [one for place in places for one in facts_of(place).marks if one.name == needs.MARK]
    named = {text for one in marks for text in one.texts}
    assert named | {*needs.OF_FIXTURES.values(), *needs.OF_FOLDERS.values()} == set(needs.NEEDS)


def test_every_hostile_behaviour_of_the_zoo_is_in_a_mark(named: dict[str, frozenset[str]]) -> None:
    # They import gRPC, which whoever collects the tests need not.
    from tests.support import scripted_bot
    from tests.support.zoo.__main__ import ANSWERS, DEEDS, STARTS

    behaviours = {*STARTS, *ANSWERS, *DEEDS, *scripted_bot.STARTS, *scripted_bot.ANSWERS}
    assert behaviours >= HONEST
    report(sorted(behaviours - HONEST - named["hostile"]))


def test_what_is_honest_is_in_no_mark(named: dict[str, frozenset[str]]) -> None:
    report(sorted(HONEST & named["hostile"]))


def test_names_are_words_with_hyphens_and_one_thing_has_one_name(named: dict[str, frozenset[str]]) -> None:
    names = [name for mark in MARKS for name in named[mark]]
    report(name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name))
    alike = defaultdict(set)
    for name in names:
        alike[_meaning(name)].add(name)
    report(sorted(one) for one in alike.values() if len(one) > 1 and one not in UNLIKE)
    assert len(names) == len(set(names)), "what a bot does and what befalls a host are two things"


@pytest.mark.parametrize(
    ("what", "mark"), [("behaviours of hostile bots", "hostile"), ("faults of the host", "host_fault")]
)
def test_the_front_page_counts_no_more_than_there_are(named: dict[str, frozenset[str]], what: str, mark: str) -> None:
    counted = re.search(rf"(\d+) {what}", text_of(Path("README.md")))
    assert counted is not None
    assert 0 < int(counted[1]) <= len(named[mark])


def _meaning(name: str) -> frozenset[str]:
    """The words of a name without those that mean little, in whatever order, number or form of a verb."""
    return frozenset(re.sub(r"(ing|es|s|ed|e)$", "", word) for word in name.split("-") if word not in SMALL_WORDS)
