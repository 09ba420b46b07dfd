"""What the marks `hostile` and `host_fault` of tests name; as a plug-in of pytest it lists that of those selected."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

MARKS = ("hostile", "host_fault")
LISTED, FILE = "named by a mark: ", "in the file: "
_ROOT = Path(__file__).parents[2]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Print every name and every file once, a line each."""
    names = {name for item in session.items for mark in MARKS for one in item.iter_markers(mark) for name in one.args}
    writer = session.config.get_terminal_writer()
    writer.line()
    for name in sorted(names):
        writer.line(LISTED + name)
    for file in sorted({str(item.path) for item in session.items}):
        writer.line(FILE + file)


def files_with(mark: str) -> list[Path]:
    """Return the files of tests in which a mark is given."""
    files = sorted((_ROOT / "tests").rglob("test_*.py"))
    return [file for file in files if f"@pytest.mark.{mark}(" in file.read_text("utf-8")]


def all_names(mark: str) -> set[str]:
    """Return every name that a mark gives to any test.

    They are read from the text, and only where they are computed the file is imported, which takes long for all.
    """
    names: set[str] = set()
    for path in files_with(mark):
        calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
        given = [one for call in calls if ast.unparse(call.func) == f"pytest.mark.{mark}" for one in call.args]
        names |= {str(one.value) for one in given if isinstance(one, ast.Constant)}
        if not all(isinstance(one, ast.Constant) for one in given):
            module = import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))
            marks = [one for test in vars(module).values() for one in getattr(test, "pytestmark", ())]
            names |= {name for one in marks if one.name == mark for name in one.args}
    return names
