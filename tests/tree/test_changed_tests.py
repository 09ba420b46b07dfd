"""Which tests a change touches, as tools/changed_tests.py tells it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tools.changed_tests import changed_files, main, touched_tests

TREE = {
    "engine/__init__.py": "",
    "engine/board.py": "",
    "engine/chess.py": "def play():\n    from engine import board\n",
    "engine/rules.toml": "",
    "engine/reading.py": 'FILE = "rules.toml"\n',
    "arena/__init__.py": "",
    "arena/worker/__init__.py": "",
    "arena/worker/__main__.py": "import engine.chess\n",
    "tests/__init__.py": "import engine.chess\n",
    "tests/conftest.py": "import engine.chess\n",
    "tests/support.py": "import engine.chess\n",
    "tests/worker/__init__.py": "",
    "tests/worker/conftest.py": "from tests import support\n",
    "tests/worker/test_match_host.py": "",
    "tests/test_broken.py": "import (\n",
    "tests/test_process.py": 'COMMAND = ["python", "-m", "arena.worker"]\n',
    "tests/test_reading.py": "from engine.reading import FILE\n",
    "tests/test_rules.py": "# all of rules.toml\n",
    "tests/test_apart.py": "".join(f"# {number}\n" for number in range(9)),
    "tests/tree/__init__.py": "",
    "tests/tree/test_words.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, TREE)
    return tmp_path


def write(root: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def touched(root: Path, *changed: str) -> set[str]:
    return {path.stem for path in touched_tests(root, map(Path, changed))}


def test_nothing_is_touched_where_nothing_has_changed(root: Path) -> None:
    assert touched(root) == set()


def test_a_test_that_has_changed_is_touched(root: Path) -> None:
    assert touched(root, "tests/test_apart.py") == {"test_apart", "test_words"}


def test_what_is_imported_through_others_in_functions_and_by_a_conftest_and_a_name_in_quotes_is_found(
    root: Path,
) -> None:
    assert touched(root, "engine/board.py") == {"test_match_host", "test_process", "test_words"}


def test_a_module_that_is_gone_is_imported_by_those_that_were_forgotten(root: Path) -> None:
    (root / "engine/board.py").unlink()
    assert touched(root, "engine/board.py") == {"test_match_host", "test_process", "test_words"}


def test_a_conftest_belongs_to_all_tests_below_its_folder(root: Path) -> None:
    assert touched(root, "tests/worker/conftest.py") == {"test_match_host", "test_words"}
    assert touched(root, "tests/conftest.py") == {Path(name).stem for name in TREE if "/test_" in name}


def test_the_tests_in_the_folder_for_a_changed_file_are_touched(root: Path) -> None:
    write(root, {"arena/worker/alone.py": ""})
    assert touched(root, "arena/worker/alone.py") == {"test_match_host", "test_words"}


def test_a_file_that_is_not_python_concerns_those_that_name_it(root: Path) -> None:
    assert touched(root, "engine/rules.toml") == {"test_reading", "test_rules", "test_words"}


def test_all_tests_are_named_where_a_change_touches_what_configures_them(root: Path) -> None:
    assert len(touched(root, "requirements/dev.lock")) == sum("/test_" in name for name in TREE)


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def test_a_change_is_what_differs_from_a_commit_or_the_last_commit_itself(tmp_path: Path) -> None:
    git(tmp_path, "init")
    for name in ("first", "second", "third"):
        write(tmp_path, {name: "", "gone": name})
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-m", name)
    assert changed_files(tmp_path) == {Path("third"), Path("gone")}
    assert changed_files(tmp_path, "HEAD~2") == {Path("second"), Path("third"), Path("gone")}
    (tmp_path / "first").rename(tmp_path / "a new name")
    assert changed_files(tmp_path) == {Path("first"), Path("a new name")}


def test_a_commit_that_git_does_not_know_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-commit"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
