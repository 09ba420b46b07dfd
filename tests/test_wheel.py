"""What a user installs: the wheel's exact top level, and the data files without which it does not run.

That it runs is shown by tests/e2e/test_plugin_game.py.
"""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = target.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_top_level_is_the_four_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert top == {"arena", "bots", "engine", "ratings", "kingmaker_arena-0.1.0.dist-info"}


def test_every_file_of_the_packages_that_git_knows_is_in_it(wheel: zipfile.ZipFile) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "arena", "bots", "engine", "ratings"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    assert set(listed.stdout.split()) <= set(wheel.namelist())


def test_no_tests_caches_or_databases_are_in_it(wheel: zipfile.ZipFile) -> None:
    for name in wheel.namelist():
        assert not name.startswith("tests/")
        assert "__pycache__" not in name
        assert not name.endswith((".db", ".pyc"))


def test_the_command_and_the_licences_are_in_it(wheel: zipfile.ZipFile) -> None:
    info = "kingmaker_arena-0.1.0.dist-info"
    assert "arena = arena.cli.main:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/NOTICE"} <= set(wheel.namelist())
