"""What a user installs: the wheel's exact top level, and the data files without which it does not run."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.support.patience import ANY_TIME, PATIENCE_S
from tests.support.venvs import make_venv, site_packages

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


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `arena` of an environment of its own, into which the wheel was installed and nothing of the checkout.

    What the arena depends on is borrowed from the environment of the tests.
    """
    venv = make_venv(tmp_path_factory.mktemp("installed") / "venv")
    (site_packages(venv) / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", str(wheel.filename)], check=True)
    return venv / "bin" / "arena"


def test_an_installed_wheel_makes_bots_and_plays_them_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    def arena(*words: str) -> str:
        done = subprocess.run(
            [str(installed), *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done
        return done.stdout

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "PYTHON"))}
    environment |= {"HOME": str(tmp_path), "ARENA_DB": str(tmp_path / "arena.db")}
    for language in sorted(path.parent.name for path in (ROOT / "bots").glob("*/template")):
        assert f"wrote {language}-bot" in arena("bot", "new", f"{language}-bot", "--language", language)
        kit = ROOT / "bots" / language / "kit"
        assert (tmp_path / f"{language}-bot" / "kit").is_dir() == kit.is_dir()
    arena("bot", "add", "random", "python-bot")
    played = arena("match", "run", "--game", "foreign_king", "--bots", "random,python-bot", *ANY_TIME)
    assert "python-bot" in played
