"""Bots that have not played can be taken away and renamed; what anything names stays."""

from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot

PLAY = ["match", "run", "--game", "foreign_king", "--seed", "1", "--option", "max_rounds=2", "--bots"]


def names(arena: Arena) -> set[str]:
    return {row["name"] for row in arena("bot", "list", "--json").json}


def stored(arena: Arena) -> set[str]:
    return {path.name for path in arena.db.with_suffix(".bots").iterdir() if len(path.name) == 64}


def test_a_bot_that_has_not_played_goes_with_its_history_and_its_files(table: Arena, tmp_path: Path) -> None:
    before = stored(table)
    table("bot", "add", write_bot(tmp_path / "a", "foxx"))
    table("bot", "add", write_bot(tmp_path / "a", "foxx", body="# better\n"))
    assert len(stored(table) - before) == 2
    finished = table("bot", "remove", "foxx")
    assert (finished.code, finished.out) == (0, "removed foxx, with all its versions (2)\n")
    assert names(table) == {"ada", "bob", "eve"}
    assert stored(table) == before
    assert table("db", "check").code == 0
    assert "added foxx version 1" in table("bot", "add", write_bot(tmp_path / "a", "foxx")).out


def test_of_several_versions_one_goes_and_the_one_before_is_active_again(table: Arena, tmp_path: Path) -> None:
    hashes = []
    for body in ("# one\n", "# two\n", "# three\n"):
        table("bot", "add", write_bot(tmp_path / "a", "fox", body=body))
        hashes.append(table("bot", "show", "fox", "--json").json["versions"][0]["content_hash"])
    assert table("bot", "remove", f"fox@{hashes[2]}").code == 0
    assert table("bot", "remove", f"fox@{hashes[0]}").code == 0
    (left,) = table("bot", "show", "fox", "--json").json["versions"]
    assert (left["content_hash"], left["number"], left["predecessor"]) == (hashes[1], 2, None)
    assert "version 2 of fox plays on ladders already" in table("bot", "promote", "fox").out
    assert "the only version of 'fox'" in table.refusal("bot", "remove", f"fox@{hashes[1]}", code=2)
    assert table("db", "check").code == 0


def test_files_that_another_bot_has_too_stay(table: Arena, tmp_path: Path) -> None:
    directory = write_bot(tmp_path / "a", "fox")
    table("bot", "add", directory)
    table("bot", "add", directory, "--owner", "zoe")
    assert table("bot", "remove", "fox").code == 0
    assert Path(table("bot", "show", "zoe/fox", "--json").json["versions"][0]["directory"]).is_dir()


@pytest.mark.parametrize("deed", [["remove", "ada"], ["rename", "ada", "lovelace"]])
def test_what_has_played_stays_as_it_was_and_the_remedy_is_told(table: Arena, deed: list[str]) -> None:
    table(*PLAY, "ada,bob")
    refusal = table.refusal("bot", *deed)
    assert refusal == (
        "ada has matches, and what the book tells of a bot stays; retire it instead: arena bot disable ada; its "
        "successor is added beside it"
    )
    assert names(table) == {"ada", "bob", "eve"}


def test_who_only_entered_a_ladder_stays_too(table: Arena, tmp_path: Path) -> None:
    table("ladder", "open", "summer", "--game", "foreign_king", "--seats", "4")  # nobody plays yet
    assert table.refusal("bot", "remove", "eve").startswith("eve was entered in a tournament or ladder, and ")
    table("bot", "add", write_bot(tmp_path / "c", "kasparov", games='["chess"]'))
    assert table("bot", "remove", "kasparov").code == 0


def test_of_a_bot_that_has_played_a_version_that_has_not_may_go(table: Arena, tmp_path: Path) -> None:
    table(*PLAY, "ada,bob")
    old = table("bot", "show", "ada", "--json").json["versions"][0]["content_hash"]
    table("bot", "add", write_bot(tmp_path / "new", "ada", body="# broken\n"))
    new = table("bot", "show", "ada", "--json").json["versions"][0]["content_hash"]
    assert table("bot", "remove", f"ada@{new[:9]}").code == 0
    assert f"retire it instead: arena bot withdraw ada@{old[:12]}" in table.refusal("bot", "remove", f"ada@{old}")


def test_a_bot_is_renamed_and_told_to_rename_it_in_its_directory(table: Arena, tmp_path: Path) -> None:
    finished = table("bot", "rename", "ada", "lovelace")
    assert finished.out == "it is called lovelace now\n"
    assert "its bot.toml still says ada; write lovelace there" in finished.err
    assert names(table) == {"lovelace", "bob", "eve"}
    assert table(*PLAY, "lovelace,bob").code == 0
    assert "there is a bot 'eve' already" in table.refusal("bot", "rename", "bob", "eve")
    assert "is no name for a bot" in table.refusal("bot", "rename", "eve", "Eve/x")


def test_the_bot_of_an_owner_stays_his(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "z", "foxx"), "--owner", "zoe")
    assert table("bot", "rename", "zoe/foxx", "fox", "--json").json == {
        "name": "zoe/fox", "owner": "zoe", "named_in_bot_toml": "foxx",
    }  # fmt: skip


@pytest.mark.parametrize("deed", [["remove", "gredy"], ["rename", "gredy", "greedy"]])
def test_an_unknown_bot_is_told(table: Arena, deed: list[str]) -> None:
    assert "there is no bot 'gredy'" in table.refusal("bot", *deed)
