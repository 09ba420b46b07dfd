"""The benchmarks: each explains itself and is in the README, and code of an earlier commit runs instead of today's."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.sources import ROOT, text_of

FOLDER = Path("benchmarks")
HELP = """
import contextlib, importlib, io, json, sys
told = {}
for name in sys.argv[1:]:
    module, text = importlib.import_module(f"benchmarks.{name}"), io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        module.main(["--help"])
    told[name] = text.getvalue()
print(json.dumps(told))
"""


def commands() -> list[str]:
    """The modules that are programs."""
    return sorted(
        path.stem
        for path in (ROOT / FOLDER).glob("*.py")
        if path.stem != "__main__" and "\ndef main(" in path.read_text("utf-8")
    )


def test_every_benchmark_explains_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELP, *commands()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told) > 10
    assert not [name for name, text in told.items() if "usage: " not in text]


def test_the_readme_names_every_benchmark() -> None:
    text = text_of(FOLDER / "README.md")
    assert not [name for name in commands() if f"`{name}" not in text]


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
