"""The code of an earlier commit is taken out whole, runs instead of today's, and names the games of then."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

# By its name: no test imports a benchmark, because benchmarks import what helps tests.
baseline = import_module("benchmarks.baseline")

PROJECT = """[project]
name = "kingmaker-arena"
version = "0.0.1"
[project.entry-points."arena.games"]
old_game = "engine.old_game"
"""
SHOW = "import engine; from importlib.metadata import entry_points, version; "
SHOW += "print(engine.AGE, version('kingmaker-arena'), *(one.name for one in entry_points(group='arena.games')))"


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose engine was changed since its only tag."""
    monkeypatch.setattr(baseline, "ROOT", tmp_path)
    (tmp_path / "engine").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT, "utf-8")
    git(tmp_path, "init")
    (tmp_path / "engine" / "__init__.py").write_text("AGE = 'old'\n", "utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "old")
    git(tmp_path, "tag", "then")
    (tmp_path / "engine" / "__init__.py").write_text("AGE = 'new'\n", "utf-8")
    git(tmp_path, "commit", "-a", "-m", "new")
    return tmp_path


@pytest.mark.usefixtures("repository")
def test_code_of_a_tag_runs_and_names_its_own_games() -> None:
    with baseline.code_of("then") as code:
        words = [sys.executable, "-P", "-c", SHOW]
        done = subprocess.run(
            words, env=baseline.environment_of(code), cwd=code, capture_output=True, text=True, check=True
        )
    assert done.stdout.split() == ["old", "0.0.1", "old_game"]


@pytest.mark.usefixtures("repository")
def test_the_code_has_its_bytecode_and_is_removed_at_the_end() -> None:
    with baseline.code_of("then") as code:
        assert list(code.glob("engine/__pycache__/__init__.*.pyc"))
    assert not code.exists()


@pytest.mark.usefixtures("repository")
def test_a_commit_that_is_not_there_is_told() -> None:
    with pytest.raises(baseline.BaselineError, match="there is no commit never here"), baseline.code_of("never"):
        pass
