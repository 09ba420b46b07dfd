from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot


def test_an_added_bot_is_listed_with_its_version(arena: Arena, tmp_path: Path) -> None:
    added = arena("bot", "add", write_bot(tmp_path / "a", "ada", games='["chess"]'))
    assert added.code == 0
    assert added.out.startswith("added ada version 1 (")
    (row,) = arena("bot", "list", "--json").json
    assert (row["name"], row["versions"], row["games"], row["owner"]) == ("ada", 1, ["chess"], None)


def test_adding_the_same_files_again_makes_no_new_version(arena: Arena, tmp_path: Path) -> None:
    directory = write_bot(tmp_path / "a", "ada")
    first, second = arena("bot", "add", directory, "--json").json, arena("bot", "add", directory, "--json").json
    assert first[0]["version_id"] == second[0]["version_id"]
    assert (first[0]["new"], second[0]["new"]) == (True, False)


def test_changed_files_are_a_new_version_and_the_old_one_stays(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_bot(tmp_path / "a", "ada"))
    arena("bot", "add", write_bot(tmp_path / "a", "ada", body="# better\n"))
    versions = arena("bot", "show", "ada", "--json").json["versions"]
    assert [version["number"] for version in versions] == [2, 1]
    assert all(Path(version["directory"]).is_dir() for version in versions)


def test_several_bots_are_added_at_once(arena: Arena, tmp_path: Path) -> None:
    assert arena("bot", "add", write_bot(tmp_path / "a", "ada"), write_bot(tmp_path / "b", "bob")).code == 0
    assert "ada" in arena("bot", "list").out
    assert "bob" in arena("bot", "list").out


def test_show_tells_people_the_manifest(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_bot(tmp_path / "a", "ada", deterministic="true"), "--owner", "grace")
    shown = arena("bot", "show", "grace/ada").out
    for fact in ("grace/ada", "grace", "deterministic  yes", "python main.py"):
        assert fact in shown


def test_a_disabled_bot_says_so_until_it_is_let_in_again(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_bot(tmp_path / "a", "ada"))
    assert arena("bot", "disable", "ada").out == "ada enters no new tournaments\n"
    assert arena("bot", "list", "--json").json[0]["disabled_at_us"] is not None
    assert arena("bot", "disable", "ada", "--undo").code == 0
    assert arena("bot", "list", "--json").json[0]["disabled_at_us"] is None


def test_a_list_without_bots_says_how_to_add_one(arena: Arena) -> None:
    arena("db", "upgrade")
    assert (
        arena("bot", "list").out
        == "no bots yet; `arena bot add DIRECTORY` adds one, at a service `arena bot submit DIRECTORY`\n"
    )


def test_an_unknown_bot_gets_the_nearest_name(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_bot(tmp_path / "a", "greedy"))
    assert "did you mean 'greedy'?" in arena.refusal("bot", "show", "gredy")
    assert "did you mean 'greedy'?" in arena.refusal("bot", "disable", "gredy")


def test_two_owners_may_use_one_name(arena: Arena, tmp_path: Path) -> None:
    added = arena("bot", "add", write_bot(tmp_path / "a", "ada"), "--owner", "grace")
    assert added.out.startswith("added grace/ada version 1 ")
    (entry,) = arena("bot", "add", write_bot(tmp_path / "b", "ada", body="#"), "--owner", "linus", "--json").json
    assert entry["bot"] == "linus/ada"
    assert [bot["name"] for bot in arena("bot", "list", "--json").json] == ["linus/ada", "grace/ada"]


def test_an_owner_cannot_have_any_name(arena: Arena, tmp_path: Path) -> None:
    refusal = arena.refusal("bot", "add", write_bot(tmp_path / "a", "ada"), "--owner", "Grace Hopper")
    assert "'Grace Hopper' is no name for an owner" in refusal


def test_a_missing_directory_is_refused(arena: Arena) -> None:
    assert "there is no such directory" in arena.refusal("bot", "add", "nowhere")


def test_a_directory_without_bot_toml_is_refused_with_what_to_write(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refusal = arena.refusal("bot", "add", tmp_path / "empty")
    assert "there is no bot.toml" in refusal
    assert "schema = 1" in refusal


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("schema = ", "not valid TOML"),
        ('schema = 1\nname = "a"', "'command' is missing"),
        ('schema = 2\nname = "a"\ncommand = ["x"]', "schema is 2"),
        ('schema = 1\nname = "A B"\ncommand = ["python", "main.py"]', "name is 'A B'"),
        ('schema = 1\nname = "a"\ncommand = ["python", "main.py"]', "there is no such file"),
        ('schema = 1\nname = "a"\ncommand = ["python"]\nmemori_mb = 5', "did you mean 'memory_mb'?"),
    ],
)
def test_a_bad_bot_toml_is_refused_with_place_and_remedy(
    arena: Arena, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bot.toml").write_text(content, encoding="utf-8")
    refusal = arena.refusal("bot", "add", tmp_path / "bad")
    assert message in refusal
    assert "bot.toml" in refusal


def test_a_refused_bot_leaves_nothing_in_the_database(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    arena.refusal("bot", "add", tmp_path / "empty")
    assert arena("bot", "list", "--json").json == []


def test_a_bot_of_games_that_are_not_installed_is_added_with_a_note(arena: Arena, tmp_path: Path) -> None:
    finished = arena("bot", "add", write_bot(tmp_path / "a", "ada", games='["go"]'))
    assert finished.code == 0
    assert "ada plays go, none of which is installed" in finished.err


def test_a_sample_is_added_by_its_name(arena: Arena) -> None:
    added = arena("bot", "add", "greedy", "random")
    assert [line.split()[1] for line in added.out.splitlines()] == ["greedy", "random"]
    assert "search_playouts" in arena.refusal("bot", "add", "serch")


def test_adding_nothing_lists_the_samples(arena: Arena) -> None:
    refusal = arena.refusal("bot", "add")
    assert all(name in refusal for name in ("greedy", "random", "search"))


def test_a_directory_here_goes_before_the_sample_of_its_name(arena: Arena, tmp_path: Path) -> None:
    write_bot(tmp_path / "greedy", "mine")
    added = arena("bot", "add", "greedy")
    assert added.out.startswith("added mine ")
    assert "taking the directory greedy that lies here" in added.err


def test_a_directory_without_a_bot_does_not_become_the_sample_of_its_name(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "greedy").mkdir()
    assert "to add the sample bot greedy, call this from another directory" in arena.refusal("bot", "add", "greedy")
    assert arena("bot", "add", tmp_path / "greedy").code == 2


def test_of_several_bots_each_is_told_and_one_that_fails_keeps_none_out(arena: Arena, tmp_path: Path) -> None:
    ada, eve = write_bot(tmp_path / "a", "ada"), write_bot(tmp_path / "e", "eve")
    arena("bot", "add", ada)
    finished = arena("bot", "add", ada, tmp_path / "nowhere", eve, "no-sample")
    assert finished.code == 1
    assert [line.split(" (")[0] for line in finished.out.splitlines()] == [
        "already there: ada version 1",
        "added eve version 1",
    ]
    first, second, last = finished.err.splitlines()
    assert first.startswith(f"not added: {tmp_path / 'nowhere'}: ")
    assert "there is no such directory" in first
    assert second.startswith("not added: no-sample: ")
    assert last == "arena: 2 of 4 bots were not added; mend them and add them again, what was added stays"
    german = arena("bot", "add", tmp_path / "nowhere", "no-sample", "--lang", "de").err.splitlines()[0]
    assert german == (
        f"nicht hinzugefügt: {tmp_path / 'nowhere'}: dieses Verzeichnis gibt es nicht; das nennen, das bot.toml enthält"
    )
    assert {row["name"] for row in arena("bot", "list", "--json").json} == {"ada", "eve"}


def test_programs_are_told_of_each_bot_that_was_added_and_why_one_was_not(arena: Arena, tmp_path: Path) -> None:
    finished = arena("bot", "add", write_bot(tmp_path / "a", "ada"), tmp_path / "nowhere", "--json")
    assert finished.code == 1
    added, failed = finished.json
    assert (added["bot"], added["new"], added["error"], added["directory"]) == ("ada", True, None, str(tmp_path / "a"))
    assert (failed["bot"], failed["version_id"], failed["new"]) == (None, None, False)
    assert failed["directory"] == str(tmp_path / "nowhere")
    assert "there is no such directory" in failed["error"]


def test_a_database_that_cannot_serve_is_told_once_and_not_for_each_bot(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "arena.db").write_bytes(b"this is no database" * 100)
    refusal = arena.refusal("bot", "add", write_bot(tmp_path / "a", "ada"), write_bot(tmp_path / "b", "bob"), code=1)
    assert "is no database of the arena" in refusal or "not a database" in refusal
