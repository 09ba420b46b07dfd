"""`arena bot`: add, build, list, write, remove and rename bots."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.manifest import load_manifest, read_manifest
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
    assert "note: games in bot.toml names 'go', which is not installed here; `arena game list` shows" in finished.err


def test_a_misspelled_game_is_told_with_the_game_that_was_meant(arena: Arena, tmp_path: Path) -> None:
    directory = write_bot(tmp_path / "a", "ada", games='["foreing_king", "rex_romanorum"]', protocol='"lines"')
    note = "games in bot.toml names 'foreing_king', which is not installed here; did you mean 'foreign_king'?"
    for finished in (arena("bot", "add", directory), arena("bot", "conform", directory)):
        assert [line for line in finished.err.splitlines() if "games" in line] == [f"note: {note}"]
    tested = arena("bot", "test", directory, "--quick", "--sandbox", "none", "--matches", "1", "--json").json
    assert [one["sentence"] for one in tested["findings"] if one["check"] == "rules"] == [note]


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
    assert "using the directory greedy in the current directory" in added.err


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


def test_a_new_bot_has_its_name_and_game_and_can_be_added(arena: Arena, tmp_path: Path) -> None:
    done = arena("bot", "new", "fox", "--game", "rex_romanorum")
    assert done.code == 0, done
    manifest = load_manifest(tmp_path / "fox")
    assert (manifest.name, manifest.games) == ("fox", ("rex_romanorum",))
    assert not any("@" in path.read_text(encoding="utf-8") for path in (tmp_path / "fox").iterdir())
    assert arena("bot", "add", "fox").out.startswith("added fox version 1 ")


def test_what_to_type_next_is_printed(arena: Arena) -> None:
    out = arena("bot", "new", "fox", "--game", "foreign_king").out
    assert "bot test fox\n" in out
    assert "--server NAME bot submit fox\n" in out


def test_without_a_game_one_is_chosen_and_said_in_a_line(arena: Arena, tmp_path: Path) -> None:
    done = arena("bot", "new", "fox")
    assert done.err.startswith("note: no --game was named, so it plays foreign_king; ")
    assert load_manifest(tmp_path / "fox").games == ("foreign_king",)


def test_another_name_and_an_empty_directory_are_fine(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "My Bot").mkdir()
    made = arena("bot", "new", "My Bot", "--name", "fox", "--game", "foreign_king", "--json").json
    what = {"name": "fox", "directory": "My Bot", "language": "python", "protocol": "protobuf"}
    assert made == {**what, "game": "foreign_king"}


def test_a_name_that_no_bot_can_have_is_refused_before_anything_is_written(arena: Arena, tmp_path: Path) -> None:
    assert "--name gives it another name" in arena.refusal("bot", "new", "My Bot")
    assert "name is 'F'" in arena.refusal("bot", "new", "fox", "--name", "F")
    assert list(tmp_path.glob("*")) == []


def test_unknown_games_and_languages_get_the_nearest_name(arena: Arena, tmp_path: Path) -> None:
    assert "did you mean 'foreign_king'?" in arena.refusal("bot", "new", "fox", "--game", "forein_king")
    assert "did you mean 'python'?" in arena.refusal("bot", "new", "fox", "--language", "pyhton")
    assert "did you mean 'cpp'?" in arena.refusal("bot", "new", "fox", "--language", "C++")
    assert "did you mean 'node'?" in arena.refusal("bot", "new", "fox", "--language", "js")
    for language, meant in (
        *(("golang", "go"), ("Rust", "rust"), ("rs", "rust"), ("sh", "shell"), ("bash", "shell"), ("jdk", "java")),
        *(("C", "c"), ("py", "python"), ("rb", "ruby"), ("perl5", "perl")),
    ):
        assert f"did you mean '{meant}'?" in arena.refusal("bot", "new", "fox", "--language", language)
    assert not (tmp_path / "fox").exists()


def test_a_bot_speaks_the_protocol_that_was_asked_for_or_the_first_of_its_language(
    arena: Arena, tmp_path: Path
) -> None:
    for words, protocol, file in (
        (("--language", "python"), "protobuf", "main.py"),
        (("--language", "python", "--protocol", "protobuf"), "protobuf", "main.py"),
        (("--language", "python", "--protocol", "lines"), "lines", "main.py"),
        (("--language", "ruby"), "lines", "main.rb"),
        (("--language", "rust", "--protocol", "lines"), "lines", "main.rs"),
    ):
        assert arena("bot", "new", "fox", *words, "--game", "rex_romanorum").code == 0
        manifest = read_manifest(tmp_path / "fox")
        assert (manifest.name, manifest.games, manifest.protocol) == ("fox", ("rex_romanorum",), protocol)
        assert {path.name for path in (tmp_path / "fox").iterdir()} == {"bot.toml", file}
        texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "fox").iterdir()]
        assert not any(place in text for text in texts for place in ("@NAME@", "@GAME@"))
        shutil.rmtree(tmp_path / "fox")


def test_a_protocol_that_a_language_has_no_template_for_is_refused_in_a_line(arena: Arena, tmp_path: Path) -> None:
    refused = arena.refusal("bot", "new", "fox", "--language", "go", "--protocol", "protobuf")
    assert "no template for bots in 'go' with the protocol 'protobuf'; use 'lines'" in refused
    refused = arena.refusal("bot", "new", "fox", "--language", "cpp", "--protocol", "lines")
    assert "no template for bots in 'cpp' with the protocol 'lines'; use 'protobuf'" in refused
    assert "use 'protobuf' or 'lines'" in arena.refusal("bot", "new", "fox", "--protocol", "grpc")
    assert not (tmp_path / "fox").exists()


def test_nothing_is_ever_overwritten(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "fox").mkdir()
    (tmp_path / "fox" / ".hidden").write_text("mine", encoding="utf-8")
    assert "fox: is not empty, and nothing is overwritten" in arena.refusal("bot", "new", "fox")
    assert [path.name for path in (tmp_path / "fox").iterdir()] == [".hidden"]


def test_a_file_is_no_place_for_a_bot(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "fox").write_text("mine", encoding="utf-8")
    assert "fox: is a file; name a new directory" in arena.refusal("bot", "new", "fox")


def test_a_link_that_leads_nowhere_is_named_as_such(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "fox").symlink_to("nowhere")
    assert "fox: is a link to what is not there; remove it, or" in arena.refusal("bot", "new", "fox")


def test_a_place_where_nothing_can_be_written_is_named_with_the_remedy(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "file/fox: cannot be written (Not a directory); name" in arena.refusal("bot", "new", "file/fox")


def test_what_was_begun_is_removed_when_the_disk_is_full(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_bytes

    def write_once(path: Path, data: bytes) -> int:
        if any(path.parent.iterdir()):
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_once)
    assert "cannot be written (No space left on device)" in arena.refusal("bot", "new", "fox")
    assert not (tmp_path / "fox").exists()
    (tmp_path / "empty").mkdir()
    arena.refusal("bot", "new", "empty")
    assert list((tmp_path / "empty").iterdir()) == []


def test_what_is_missing_is_named_with_its_package(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.verbs.bot.new.missing_packages", lambda _: ["g++", "make"])
    assert "still needs: apt install g++ make" in arena("bot", "new", "fox", "--game", "foreign_king").err


def test_the_help_says_which_languages_there_are(arena: Arena) -> None:
    words = arena("bot", "new", "--help").out.replace(",", " ").replace(".", " ").split()
    assert {"c", "cpp", "go", "java", "lua", "node", "perl", "python", "ruby", "rust", "shell"} <= set(words)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_of_somebody_else_is_refused(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "cannot be written (Permission denied)" in arena.refusal("bot", "new", "locked/fox")


def test_the_new_bot_is_clean_under_the_strictest_checks(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "new", "fox", "--game", "foreign_king")
    arena("bot", "new", "fox/lines", "--game", "foreign_king", "--protocol", "lines")
    for check in (["ruff", "check", "--ignore", "T20"], ["ruff", "format", "--check"]):
        config = Path(__file__).resolve().parents[2] / "pyproject.toml"
        done = subprocess.run(
            [sys.executable, "-m", *check, "--config", config, tmp_path / "fox"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


MAKE = "open('made.py', 'w').write('x = 1')\n"
BUILD = '["python", "make.py"]'


def write_built_bot(directory: Path, make: str, **keys: str) -> Path:
    bot = write_bot(directory, build=BUILD, **keys)
    (bot / "make.py").write_text(make, encoding="utf-8")
    return bot


def test_adding_a_bot_builds_it_and_says_how(arena: Arena, tmp_path: Path) -> None:
    added = arena("bot", "add", write_built_bot(tmp_path / "a", MAKE))
    assert added.code == 0
    assert "note: building quiet with `python make.py`, as a process of your user, without a sandbox" in added.err
    (built,) = (path for path in arena.db.with_suffix(".builds").iterdir() if path.is_dir())
    assert (built / "made.py").read_text(encoding="utf-8") == "x = 1"


def test_a_built_bot_can_enter_a_match(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_built_bot(tmp_path / "a", MAKE))
    assert table("match", "run", "--game", "foreign_king", "--bots", "quiet,ada,bob").code == 0


def test_a_build_that_fails_adds_nothing_and_shows_the_end_of_its_log(arena: Arena, tmp_path: Path) -> None:
    make = "for i in range(100): print('line', i)\nprint('\\x1b[31m')\nraise SystemExit(3)\n"
    finished = arena("bot", "add", write_built_bot(tmp_path / "a", make))
    assert finished.code == 1
    assert "| line 99\n" in finished.err
    assert "| line 5\n" not in finished.err
    assert "\x1b" not in finished.err
    last = finished.err.splitlines()[-1]
    assert (
        last
        == "arena: quiet was not added: The build command `python make.py` failed (exit status 3); its log tells why."
    )
    assert arena("bot", "list").out.startswith("no bots yet")


@pytest.mark.needs("minutes")
def test_a_bot_that_lost_what_was_built_says_how_to_build_it(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_built_bot(tmp_path / "a", MAKE), write_bot(tmp_path / "b", "bob"))
    for path in sorted(arena.db.with_suffix(".builds").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    said = arena.refusal("match", "run", "--game", "rex_romanorum", "--bots", "quiet,bob", code=1)
    command = said.partition("`arena bot add ")[2].partition("`")[0]
    assert arena("bot", "add", command).code == 0
    assert [path for path in arena.db.with_suffix(".builds").iterdir() if path.is_dir()]


def test_a_build_that_fails_for_want_of_a_compiler_names_the_packages(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bot = write_built_bot(tmp_path / "a", "raise SystemExit('no compiler')")
    (bot / "main.cpp").touch()
    last = arena("bot", "add", bot).err.splitlines()[-1]
    packages = "g++ make pkg-config protobuf-compiler protobuf-compiler-grpc libgrpc++-dev libprotobuf-dev"
    assert last.endswith(f". (This machine lacks what such a bot needs: apt install {packages})")
    german = arena("bot", "add", bot, "--lang", "de").err.splitlines()[-1]
    assert german.endswith(f" (Dieser Maschine fehlt, was ein solcher Bot braucht: apt install {packages})")


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
    assert "version 2 of fox already plays on the ladders" in table("bot", "promote", "fox").out
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
    assert finished.out == "it is now called lovelace\n"
    assert "its bot.toml still says ada; change that to lovelace" in finished.err
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


def test_packages_that_nothing_installs_are_told_when_a_bot_is_added(arena: Arena, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "a", "ada")
    (bot / "requirements.txt").write_text("numpyx==1.0\n", encoding="utf-8")
    finished = arena("bot", "add", bot)
    assert finished.code == 0
    assert "note: requirements.txt names numpyx, and nothing installs" in finished.err
