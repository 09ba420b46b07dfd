from __future__ import annotations

import pytest

from ratings.errors import AmbiguousError, BotError, NotFoundError
from ratings.ledger.bots import add_version, get_bot, list_bots, resolve_version, set_disabled, versions_of
from ratings.store.database import Database as Engine
from ratings.store.database import read, write


def add(engine: Engine, bot: str, content: str, owner: str | None = None) -> tuple[int, bool]:
    with write(engine) as session:
        version, is_new = add_version(session, bot=bot, owner=owner, content_hash=content, manifest={"memory_mb": 512})
        return version.number, is_new


def test_versions_of_a_bot_are_numbered_from_one(engine: Engine) -> None:
    assert [add(engine, "ada", content) for content in ("aa", "bb")] == [(1, True), (2, True)]
    assert add(engine, "bob", "aa") == (1, True)


def test_the_same_content_is_the_same_version_also_an_older_one(engine: Engine) -> None:
    add(engine, "ada", "aa")
    add(engine, "ada", "bb")
    assert add(engine, "ada", "aa") == (1, False)


def test_a_manifest_comes_back_as_it_was(engine: Engine) -> None:
    add(engine, "ada", "aa")
    with read(engine) as session:
        assert resolve_version(session, "ada").manifest == {"memory_mb": 512}


def test_a_name_belongs_to_its_owner(engine: Engine) -> None:
    add(engine, "ada", "aa", owner="lovelace")
    add(engine, "ada", "bb", owner="lovelace")
    for other in ("babbage", None):
        with pytest.raises(BotError, match="'ada' belongs to a bot of lovelace"):
            add(engine, "ada", "cc", owner=other)
    with read(engine) as session:
        assert [(row.bot.name, row.owner, row.versions) for row in list_bots(session)] == [("ada", "lovelace", 2)]


def test_a_name_means_the_newest_version_and_a_prefix_a_certain_one(engine: Engine) -> None:
    for content in ("abc1", "abd2", "ee"):
        add(engine, "ada", content)
    with read(engine) as session:
        assert resolve_version(session, "ada").number == 3
        assert resolve_version(session, "ada@abc").number == 1
        assert resolve_version(session, "ada@ABD").number == 2
        with pytest.raises(AmbiguousError, match="2 versions of 'ada' begin with 'ab'"):
            resolve_version(session, "ada@ab")
        for nothing in ("ada@ff", "ada@"):
            with pytest.raises(NotFoundError, match="its newest are: abc1, abd2, ee"):
                resolve_version(session, nothing)
        assert [version.number for version in versions_of(session, get_bot(session, "ada"))] == [1, 2, 3]


def test_an_unknown_bot_is_named_with_those_there_are(engine: Engine) -> None:
    with read(engine) as session, pytest.raises(NotFoundError, match="there are none yet; add one with: arena bot add"):
        get_bot(session, "eve")
    add(engine, "ada", "aa")
    with read(engine) as session, pytest.raises(NotFoundError, match="no bot 'eve'; there are: ada"):
        resolve_version(session, "eve")


def test_a_bot_can_be_disabled_and_enabled_and_twice_is_once(engine: Engine) -> None:
    add(engine, "ada", "aa")
    with write(engine) as session:
        first = set_disabled(session, bot="ada", disabled=True).disabled_at_us
        assert first is not None
        assert set_disabled(session, bot="ada", disabled=True).disabled_at_us == first
        assert set_disabled(session, bot="ada", disabled=False).disabled_at_us is None
