"""What is refused is refused alike wherever it is asked; what makes sense only here says so elsewhere."""

from pathlib import Path

import pytest

from arena.cli.shared.connect import next_command
from ratings.ledger.service import ServiceLedger
from ratings.store.database import open_database
from tests.cli.support import Arena, write_bot
from tests.cli.test_tournament import ROUND_ROBIN, play_monday

REFUSED = [
    ["bot", "show", "adda"],
    ["tournament", "show", "munday"],
    ["match", "show", "ffffffff"],
    ["match", "list", "--after", "nonsense"],
    ["stats", "lengths", "-t", "monday", "-p", "abcd"],
    ["leaderboard", "--pool", "ffff0000"],
    [*ROUND_ROBIN, "--option", "queen=any"],
    [*ROUND_ROBIN, "--name", "monday"],
]
ONLY_HERE = [
    ["db", "check"],
    ["db", "upgrade"],
    ["doctor"],
    ["demo"],
    ["rating", "rebuild"],
    ["tournament", "export", "monday", "monday.arena"],
    ["tournament", "import", "monday.arena"],
]


@pytest.fixture
def monday(table: Arena) -> None:
    play_monday(table)


def test_everything_is_refused_alike_everywhere(table: Arena, monday: None, arena_cli: Arena) -> None:
    for words in REFUSED:
        assert arena_cli.refusal(*words) == table.refusal(*words)


def test_a_bot_is_barred_from_everywhere(table: Arena, arena_cli: Arena) -> None:
    assert arena_cli("bot", "disable", "ada").out == "ada enters no new tournaments\n"
    assert table("bot", "list", "--json").json[-1]["disabled_at_us"] is not None
    assert arena_cli("bot", "disable", "ada", "--undo").code == 0


def test_what_makes_sense_only_here_says_so_in_one_line(table: Arena) -> None:
    for said in ("not over the service 'club'", "name a database of this machine with --db"):
        assert table.misses((["--server", "club", *words], said) for words in ONLY_HERE) == []


def test_a_directory_is_not_added_to_a_service_but_submitted(table: Arena, tmp_path: Path) -> None:
    refusal = table.refusal("--server", "club", "bot", "add", write_bot(tmp_path / "zoe", "zoe"))
    assert "`arena bot submit DIRECTORY`" in refusal


def test_the_command_line_counts_more_than_the_environment(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_SERVER", "club")
    assert "'club'" in table.refusal("db", "check")
    assert table("bot", "list", "--db", str(table.db)).code == 0
    assert "exclude each other" in table.refusal("--server", "club", "bot", "list", "--db", str(table.db))
    assert table("--server", "none", "bot", "list").code == 0


def test_an_unknown_service_is_refused(table: Arena) -> None:
    assert "clubb" in table.refusal("--server", "clubb", "bot", "list", code=2)


def test_suggested_commands_go_to_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_SERVER", raising=False)
    monkeypatch.delenv("ARENA_DB", raising=False)
    assert next_command("leaderboard", db="arena://club") == "arena --server club leaderboard"
    monkeypatch.setenv("ARENA_SERVER", "club")
    assert next_command("leaderboard", db="arena://club") == "arena leaderboard"
    assert next_command("leaderboard", db="arena.db") == "arena leaderboard --db arena.db"


def test_a_match_that_was_annulled_says_why_wherever_it_is_shown(table: Arena, monday: None, arena_cli: Arena) -> None:
    annulled = table("match", "list", "--json").json[0]["id"]
    database = open_database(table.db)
    ServiceLedger(database).annul_match(annulled, why="the power failed", actor="operator")
    database.close()
    for words in (["match", "show", annulled], ["match", "list"], ["tournament", "show", "monday", "--matches"]):
        assert "the power failed" in arena_cli(*words).out
    assert arena_cli("match", "show", annulled, "--json").json["annulled"] == "the power failed"


def test_without_a_database_that_of_the_home_is_meant(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_DB")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("ARENA_HOME", str(home))
    assert arena("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2").code == 0
    assert (home / "arena.db").exists()
    assert not arena.db.exists()
    assert "king2" in arena("ladder", "list").out
    assert next_command("ladder", "list", db=f"{home}/arena.db").endswith("ladder list")
    monkeypatch.setenv("ARENA_DB", str(arena.db))
    assert arena("ladder", "list").code != 0  # what is named counts more


def test_to_promote_what_plays_already_says_that_nothing_has_changed(arena_cli: Arena) -> None:
    assert arena_cli("bot", "promote", "ada").out == "version 1 of ada plays on ladders already: nothing has changed\n"


def test_an_empty_leaderboard_of_a_service_does_not_take_its_login_for_a_place(arena_cli: Arena) -> None:
    said = arena_cli("leaderboard").out
    assert "yet at the service of your login 'unix:" in said or said.startswith("no rated matches in ")
