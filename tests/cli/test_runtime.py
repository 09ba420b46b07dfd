import sys
from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot
from tests.support.venvs import make_venv


@pytest.fixture(autouse=True)
def _bare_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing is installed that would be a runtime by itself."""
    monkeypatch.setattr("arena.hosting.runtimes.catalog.installed_runtimes", lambda _path: {})


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_venv(tmp_path_factory.mktemp("runtime") / "venv", "fakenet==1.2")


@pytest.fixture
def runtimes(tmp_path: Path, venv: Path) -> Path:
    """A file in which `python-ml` is a virtual environment with one package."""
    file = tmp_path / "runtimes.toml"
    file.write_text(f'[runtimes.python-ml]\nkind = "python"\nvenv = "{venv}"\n', encoding="utf-8")
    return file


def test_without_definitions_there_are_two(arena: Arena) -> None:
    rows = arena("runtime", "list", "--json").json
    assert [(row["name"], row["kind"], row["problem"]) for row in rows] == [
        ("arena", "arena", None),
        ("bundled", "bundled", None),
    ]
    assert "PROBLEM" not in arena("runtime", "list").out


def test_competitors_are_told_what_is_in_each(arena: Arena, runtimes: Path) -> None:
    row = arena("runtime", "list", "--runtimes", runtimes, "--json").json[2]
    assert (row["name"], row["version"], row["packages"]) == ("python-ml", sys.version.split()[0], {"fakenet": "1.2"})
    assert arena("runtime", "show", "python-ml", "--runtimes", runtimes, "--json").json["hash"] == row["hash"]
    shown = arena("runtime", "show", "python-ml", "--runtimes", runtimes).out
    assert "fakenet  1.2" in shown
    assert row["hash"] in shown


def test_the_variable_names_them_for_every_command(
    arena: Arena, runtimes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_RUNTIMES", str(runtimes))
    assert arena("runtime", "list", "--json").json[2]["name"] == "python-ml"
    assert arena("bot", "add", write_bot(tmp_path / "a", "ada", runtime='"python-ml"')).code == 0
    assert "runtime        python-ml" in arena("bot", "show", "ada").out


def test_a_bot_of_an_unknown_runtime_is_refused_with_the_known_ones(
    arena: Arena, runtimes: Path, tmp_path: Path
) -> None:
    bot = write_bot(tmp_path / "a", "ada", runtime='"python-ml"')
    assert "knows 'arena', 'bundled'; `arena runtime list` shows" in arena.refusal("bot", "add", bot)
    assert arena("bot", "add", bot, "--runtimes", runtimes).code == 0
    other = write_bot(tmp_path / "b", "bob", runtime='"pythonml"')
    assert "did you mean 'python-ml'?" in arena.refusal("bot", "add", other, "--runtimes", runtimes)


def test_a_bot_whose_runtime_is_gone_enters_no_match(arena: Arena, runtimes: Path, tmp_path: Path) -> None:
    for name in ("ada", "bob", "eve"):
        bot = write_bot(tmp_path / name, name, runtime='"python-ml"')
        assert arena("bot", "add", bot, "--runtimes", runtimes).code == 0
    said = arena.refusal("match", "run", "--game", "foreign_king", "--bots", "ada,bob,eve")
    assert "runtime is 'python-ml', and this arena knows 'arena', 'bundled'" in said


def test_a_runtime_that_does_not_work_hides_no_other(arena: Arena, runtimes: Path, tmp_path: Path) -> None:
    with runtimes.open("a", encoding="utf-8") as file:
        file.write('[runtimes.gone]\nkind = "python"\nvenv = "/nowhere"\n')
    rows = {row["name"]: row for row in arena("runtime", "list", "--runtimes", runtimes, "--json").json}
    assert rows["python-ml"]["problem"] is None
    assert "/nowhere: is no virtual environment" in rows["gone"]["problem"]
    assert "PROBLEM" in arena("runtime", "list", "--runtimes", runtimes).out
    assert "ist keine virtuelle Umgebung" in arena("runtime", "list", "--runtimes", runtimes, "--lang", "de").out
    assert "/nowhere" in arena.refusal("runtime", "show", "gone", "--runtimes", runtimes, code=1)


def test_wrong_definitions_are_named(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    assert "cannot be read" in arena.refusal("runtime", "list", "--runtimes", file)
    file.write_text('[runtimes.x]\nkid = "python"\n', encoding="utf-8")
    assert f"{file}: [runtimes.x]: kind is missing" in arena.refusal("runtime", "list", "--runtimes", file)


def test_an_unknown_runtime_gets_the_nearest_name(arena: Arena) -> None:
    assert "did you mean 'bundled'?" in arena.refusal("runtime", "show", "bundeld")
