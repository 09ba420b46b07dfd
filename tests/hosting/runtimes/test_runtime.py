from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import (
    RuntimeDefinition,
    RuntimeKind,
    RuntimeSettingsError,
    parse_runtimes,
    read_runtimes,
)
from tests.support.texts import CHARACTERS

FULL = """
[runtimes.python-ml]
kind = "python"
venv = "/srv/venvs/ml"

[runtimes.js]
kind = "node"
program = "/usr/bin/node"
modules = "/srv/node_modules"

[runtimes.blas]
kind = "native"
trees = ["/opt/blas", "/opt/fftw"]
"""


def refusal(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RuntimeSettingsError) as caught:
        read_runtimes(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{path}: ")


def test_a_file_with_every_kind_is_read(tmp_path: Path) -> None:
    path = tmp_path / "runtimes.toml"
    path.write_text(FULL, encoding="utf-8")
    blas, fftw = Path("/opt/blas"), Path("/opt/fftw")
    modules = Path("/srv/node_modules")
    assert read_runtimes(path).definitions == {
        "python-ml": RuntimeDefinition("python-ml", RuntimeKind.PYTHON, venv=Path("/srv/venvs/ml")),
        "js": RuntimeDefinition("js", RuntimeKind.NODE, program=Path("/usr/bin/node"), modules=modules),
        "blas": RuntimeDefinition("blas", RuntimeKind.NATIVE, trees=(blas, fftw)),
    }


def test_a_definition_says_in_a_table_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "runtimes.toml").write_text(FULL, encoding="utf-8")
    settings = read_runtimes(tmp_path / "runtimes.toml")
    tables = {name: definition.table() for name, definition in settings.definitions.items()}
    assert parse_runtimes(tables, place="another machine") == settings
    assert RuntimeCatalog(settings, tmp_path).tables() == tables


def test_no_table_defines_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").touch()
    assert read_runtimes(tmp_path / "empty.toml").definitions == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("runtime = 1", "unknown key 'runtime'; did you mean 'runtimes'?"),
        ("runtimes = 1", "runtimes is 1; write a table [runtimes.NAME] for each"),
        ("[runtimes]\nx = 1", "[runtimes.x]: is 1 and no table"),
        ("[runtimes.X]", "[runtimes.X]: a runtime is called 1 to 40 of a-z"),
        ("[runtimes.arena]", "[runtimes.arena]: 'arena' is always there and cannot be defined anew"),
        ("[runtimes.bundled]", "[runtimes.bundled]: 'bundled' is always there"),
        ("[runtimes.x]", "[runtimes.x]: kind is missing; the kinds are python, node, native"),
        ('[runtimes.x]\nkind = "pyton"', "[runtimes.x]: kind is 'pyton'; did you mean 'python'?"),
        ('[runtimes.x]\nkind = "arena"', "[runtimes.x]: kind is 'arena'; the kinds are"),
        ('[runtimes.x]\nkind = "python"', "[runtimes.x]: a runtime of kind 'python' needs the key 'venv'"),
        ('[runtimes.x]\nkind = "node"', "[runtimes.x]: a runtime of kind 'node' needs the key 'program'"),
        ('[runtimes.x]\nkind = "python"\nvenvs = "/a"', "[runtimes.x]: unknown key 'venvs'; did you mean 'venv'?"),
        ('[runtimes.x]\nkind = "native"\nvenv = "/a"', "[runtimes.x]: unknown key 'venv'; the keys are kind, trees"),
        ('[runtimes.x]\nkind = "python"\nvenv = "venv"', "[runtimes.x] venv is 'venv'; write a full path"),
        ('[runtimes.x]\nkind = "python"\nvenv = "/a/../b"', "[runtimes.x] venv is '/a/../b', which bots may not see"),
        ('[runtimes.x]\nkind = "native"\ntrees = ["/"]', "[runtimes.x] trees is '/', which bots may not see"),
        ('[runtimes.x]\nkind = "native"\ntrees = ["/root/"]', "[runtimes.x] trees is '/root/', which bots may not see"),
        ('[runtimes.x]\nkind = "native"\ntrees = "/a"', "[runtimes.x] trees is '/a'; write a list of directories"),
        ("[runtimes", "is not valid TOML"),
    ],
)
def test_a_wrong_line_is_named_with_its_remedy(tmp_path: Path, text: str, complaint: str) -> None:
    assert refusal(tmp_path / "runtimes.toml", text).startswith(complaint)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeSettingsError, match=r"nowhere\.toml: cannot be read"):
        read_runtimes(tmp_path / "nowhere.toml")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(CHARACTERS)
    | st.sampled_from(["python", "node", "native", "/srv/x"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(CHARACTERS), inner),
    max_leaves=5,
)
keys = st.sampled_from(["kind", "venv", "program", "modules", "trees"]) | st.text(CHARACTERS)


@settings(max_examples=12)
@given(st.dictionaries(st.text(CHARACTERS, max_size=5) | st.just("ml"), st.dictionaries(keys, values) | values))
def test_whatever_they_hold_tables_are_read_or_refused_in_one_line(tables: dict[str, Any]) -> None:
    try:
        known, complaint = set(parse_runtimes(tables, place="x").definitions), "x: "
    except RuntimeSettingsError as error:
        known, complaint = set(tables), str(error)
    assert known == set(tables)
    assert complaint.startswith("x: ")
