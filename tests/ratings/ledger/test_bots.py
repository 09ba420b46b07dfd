from __future__ import annotations

import pytest

from ratings.errors import AccountError, AmbiguousError, NotFoundError
from ratings.ledger.ledger import Ledger
from ratings.read.bots import all_versions, bot_detail, find_version, list_bots, list_versions
from ratings.store.database import Database


def add(database: Database, bot: str, content: str, owner: str | None = None) -> tuple[int, bool]:
    manifest = {"memory_mb": 512}
    version, is_new = Ledger(database).add_version(bot=bot, owner=owner, content_hash=content, manifest=manifest)
    return version.number, is_new


def test_versions_of_a_bot_are_numbered_from_one(database: Database) -> None:
    assert [add(database, "ada", content) for content in ("aa", "bb")] == [(1, True), (2, True)]
    assert add(database, "bob", "aa") == (1, True)


def test_the_same_content_is_the_same_version_also_an_older_one(database: Database) -> None:
    add(database, "ada", "aa")
    add(database, "ada", "bb")
    assert add(database, "ada", "aa") == (1, False)


def test_a_manifest_comes_back_as_it_was(database: Database) -> None:
    add(database, "ada", "aa")
    assert find_version(database, "ada").version.manifest == {"memory_mb": 512}


def test_two_owners_and_the_operator_may_use_one_name(database: Database) -> None:
    assert add(database, "ada", "aa", owner="lovelace") == (1, True)
    assert add(database, "ada", "bb", owner="lovelace") == (2, True)
    assert add(database, "ada", "aa", owner="babbage") == add(database, "ada", "aa") == (1, True)
    assert [(row.bot.name, row.owner, row.versions) for row in list_bots(database).items] == [
        ("ada", None, 1),
        ("babbage/ada", "babbage", 1),
        ("lovelace/ada", "lovelace", 2),
    ]


@pytest.mark.parametrize("name", ["", "lovelace/ada", "Ada", "-ada", "a" * 41, "ada\n", "ädä"])
def test_a_name_that_could_be_another_bots_or_break_a_line_is_refused(database: Database, name: str) -> None:
    with pytest.raises(AccountError, match="is no name for a bot; use 1 to 40 of a-z, 0-9, - and _"):
        add(database, name, "aa")


def test_a_name_means_the_newest_version_and_a_prefix_a_certain_one(database: Database) -> None:
    for content in ("abc1", "abd2", "ee"):
        add(database, "ada", content)
    assert find_version(database, "ada").version.number == 3
    assert find_version(database, "ada@abc").version.number == 1
    assert find_version(database, "ada@ABD").version.number == 2
    assert find_version(database, "ada@c1").version.number == 1
    with pytest.raises(AmbiguousError, match=r"have 'ab': version 2 \(abd2\), version 1 \(abc1\); give"):
        find_version(database, "ada@ab")
    for nothing in ("ada@ff", "ada@"):
        with pytest.raises(NotFoundError, match="its newest are: abc1, abd2, ee"):
            find_version(database, nothing)
    assert [version.number for version in list_versions(database, "ada").items] == [3, 2, 1]
    assert (bot_detail(database, "ada").newest.number, bot_detail(database, "ada").versions) == (3, 3)
    assert [(row.bot.name, row.version.number) for row in all_versions(database)] == [("ada", n) for n in (1, 2, 3)]


def test_an_unknown_bot_is_named_with_those_there_are(database: Database) -> None:
    with pytest.raises(NotFoundError, match="there are none yet; add one with: arena bot add"):
        bot_detail(database, "eve")
    add(database, "ada", "aa")
    with pytest.raises(NotFoundError, match="no bot 'eve'; there are: ada"):
        find_version(database, "eve")


def test_a_bot_can_be_disabled_and_enabled_and_twice_is_once(database: Database) -> None:
    add(database, "ada", "aa")
    ledger = Ledger(database)
    first = ledger.set_disabled("ada", disabled=True).disabled_at_us
    assert first is not None
    assert ledger.set_disabled("ada", disabled=True).disabled_at_us == first
    assert ledger.set_disabled("ada", disabled=False).disabled_at_us is None
