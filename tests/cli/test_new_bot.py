import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.manifest import load_manifest
from tests.cli.support import Arena


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
    assert made == {"name": "fox", "directory": "My Bot", "language": "python", "game": "foreign_king"}


def test_a_name_that_no_bot_can_have_is_refused_before_anything_is_written(arena: Arena, tmp_path: Path) -> None:
    assert "--name gives it another name" in arena.refusal("bot", "new", "My Bot")
    assert "name is 'F'" in arena.refusal("bot", "new", "fox", "--name", "F")
    assert list(tmp_path.glob("*")) == []


def test_unknown_games_and_languages_get_the_nearest_name(arena: Arena, tmp_path: Path) -> None:
    assert "did you mean 'foreign_king'?" in arena.refusal("bot", "new", "fox", "--game", "forein_king")
    assert "did you mean 'python'?" in arena.refusal("bot", "new", "fox", "--language", "pyhton")
    assert "did you mean 'cpp'?" in arena.refusal("bot", "new", "fox", "--language", "C++")
    assert "did you mean 'node'?" in arena.refusal("bot", "new", "fox", "--language", "js")
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
    assert "python" in arena("bot", "new", "--help").out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_of_somebody_else_is_refused(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "cannot be written (Permission denied)" in arena.refusal("bot", "new", "locked/fox")


def test_the_new_bot_is_clean_under_the_strictest_checks(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "new", "fox", "--game", "foreign_king")
    for check in (["ruff", "check"], ["ruff", "format", "--check"]):
        config = Path(__file__).resolve().parents[2] / "pyproject.toml"
        done = subprocess.run(
            [sys.executable, "-m", *check, "--config", config, tmp_path / "fox"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
