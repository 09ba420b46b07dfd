"""Remote bots on a plain database: everything shows them, and nothing plays with them there."""

from pathlib import Path

import pytest

from ratings.ledger.remote import RemoteJoin
from ratings.ledger.service import ServiceLedger
from ratings.store.database import open_database
from ratings.store.limits import OwnerLimits
from tests.cli.support import Arena, write_bot
from tests.ratings import book

OPEN = ("ladder", "open", "homes", "--game", "foreign_king", "--seats", "2", "--remote")


@pytest.fixture
def remote(table: Arena) -> Arena:
    """A database with three bots of its operator and two remote ones."""
    database = open_database(table.db)
    for name, version in (("fox", "1.0"), ("fox", "1.1"), ("owl", "a")):
        ServiceLedger(database).join_remote(RemoteJoin("ada", name, version, ("foreign_king",)), OwnerLimits())
    database.close()
    return table


def test_a_remote_bot_is_listed_and_shown_as_one(remote: Arena) -> None:
    rows = {row["name"]: row for row in remote("bot", "list", "--json").json}
    assert (rows["ada/fox"]["remote"], rows["bob"]["remote"]) == (True, False)
    assert (rows["ada/fox"]["versions"], rows["ada/fox"]["games"]) == (2, ["foreign_king"])
    assert [line.split()[2] for line in remote("bot", "list").out.splitlines()[1:3]] == ["remote", "remote"]
    shown = remote("bot", "show", "ada/fox").out
    assert "where its author connects it from" in shown
    assert [line.split()[-1] for line in shown.splitlines()[-2:]] == ["1.1", "1.0"]
    assert remote("bot", "show", "ada/fox", "--json").json["remote"]
    assert "it joined" in remote("bot", "log", "ada/fox").out


def test_a_ladder_of_remote_bots_is_named_as_such(remote: Arena) -> None:
    assert remote(*OPEN).code == 0
    (row,) = remote("ladder", "list", "--json").json
    assert (row["pool"]["remote"], row["bots"]) == (True, 2)
    assert "remote" in remote("ladder", "list").out
    assert "remote" in remote("ladder", "show", "homes").out
    assert "remote bots" in remote("tournament", "show", "homes-1").out
    assert remote("tournament", "list", "--json").json[0]["remote"]
    assert remote("tournament", "join", "homes-1", "bob").code == 0
    assert remote("ladder", "list", "--json").json[0]["bots"] == 3
    assert remote("tournament", "withdraw", "homes-1", "bob").code == 0
    assert remote("db", "check").code == 0


def test_a_match_of_remote_bots_does_not_pretend_that_the_arena_confined_them(remote: Arena) -> None:
    remote(*OPEN)
    tournament = remote("tournament", "list", "--json").json[0]["id"]
    database = open_database(remote.db)
    for match in book.take(database, tournament, limit=1):
        book.record(database, match, sandbox="none")
    database.close()
    (row,) = remote("match", "list", "--state", "finished", "--json").json
    shown = remote("match", "show", row["id"]).out
    assert "remote bots" in shown
    assert "none, for hosted bots; remote ones run where their authors connect them from" in shown


def test_a_ladder_that_waits_for_remote_bots_says_how_they_come(table: Arena) -> None:
    assert table(*OPEN).code == 0
    assert "0 take part; connect one: arena bot connect DIRECTORY --server NAME" in table("ladder", "list").out


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada/fox,bob"),
        ("match", "run", "--game", "foreign_king", "--bots", "bob,ada/fox"),
        ("compare", "bob", "eve", "--game", "foreign_king", "--seats", "3", "--field", "ada/fox"),
    ],
)
def test_nothing_is_played_with_remote_bots_without_a_service(remote: Arena, words: tuple[str, ...]) -> None:
    said = remote.refusal(*words)
    assert said.startswith("ada/fox is remote, and only a service that sets service.play_address plays with it")
    assert remote("tournament", "list", "--json").json == []


def test_what_a_service_planned_with_remote_bots_is_left_to_it(remote: Arena) -> None:
    remote(*OPEN)
    said = remote.refusal("tournament", "resume", "homes-1", code=1)
    assert said.startswith("'homes-1' is for remote bots, and only a service that sets service.play_address plays")


def test_a_remote_bot_stays_remote_and_plays_with_what_is_connected(remote: Arena, tmp_path: Path) -> None:
    said = remote.refusal("bot", "add", write_bot(tmp_path / "fox", "fox"), "--owner", "ada")
    assert said.startswith("bot 'ada/fox' is remote: its author runs it elsewhere, and that never changes")
    for verb in (("promote", "ada/fox"), ("rollback", "ada/fox")):
        assert "is remote, and plays with the version that joined last" in remote.refusal("bot", *verb)
    assert "is remote, and is built by its author" in remote.refusal("bot", "build-log", "ada/fox")
    assert remote("bot", "withdraw", "ada/fox").code == 0
    assert remote("bot", "disable", "ada/owl").code == 0


def test_a_ladder_of_remote_bots_in_a_game_with_dice_has_no_opening(remote: Arena) -> None:
    words = ("ladder", "open", "dice", "--game", "rex_romanorum", "--seats", "2", "--remote", "--opening-plies")
    refused = remote(*words, "2")
    assert refused.code == 2
    assert "use --opening-plies 0" in refused.err
    assert remote(*words, "0").code == 0
