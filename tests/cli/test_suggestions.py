import shlex
import stat
from pathlib import Path

import pytest

from arena.cli.shared.connect import next_command, program


def install(directory: Path) -> Path:
    directory.mkdir(parents=True)
    command = directory / "arena"
    command.write_text("#!/bin/sh\n", encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return command


def test_a_command_on_path_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = install(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(command.parent))
    monkeypatch.setattr("sys.argv", [str(command)])
    assert program() == "arena"


def test_a_command_in_an_environment_that_is_not_active_is_called_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = install(tmp_path / ".venv" / "bin")
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(command)])
    assert program() == ".venv/bin/arena"


def test_the_default_database_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_DB", raising=False)
    assert next_command("leaderboard", db="arena.db") == "arena leaderboard"
    assert next_command("leaderboard", db="demo.db") == "arena leaderboard --db demo.db"


def test_the_database_of_the_environment_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DB", "mine.db")
    assert next_command("leaderboard", db="mine.db") == "arena leaderboard"


def test_words_with_spaces_are_quoted_for_the_shell() -> None:
    line = next_command("tournament", "resume", "class of '26", db="my games.db")
    assert shlex.split(line)[1:] == ["tournament", "resume", "class of '26", "--db", "my games.db"]
