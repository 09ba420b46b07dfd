"""What the marks `hostile` and `host_fault` of tests name; as a plug-in of pytest it tells it of each test."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.sources import ROOT, facts_of

MARKS = ("hostile", "host_fault")
TEST, NAMED = "test", "named"
"""The properties of a case in a report: the test's own id, and a name that a mark of it gives."""
CHOSEN = "--chosen"
"""The option of this plug-in: a file with the ids of the tests to run, a line each; no others are."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one option."""
    parser.addoption(CHOSEN, type=Path, metavar="FILE", help="run only the tests whose ids it lists, a line each")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not chosen, and give every test its id and names as properties of the report."""
    chosen: Path | None = config.getoption(CHOSEN)
    if chosen is not None:
        wanted = set(chosen.read_text("utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
        items[:] = [item for item in items if item.nodeid in wanted]
    for item in items:
        names = sorted({name for mark in MARKS for one in item.iter_markers(mark) for name in one.args})
        item.user_properties += [(TEST, item.nodeid), *((NAMED, name) for name in names)]


def files_with(mark: str) -> list[Path]:
    """Return the files of tests in which a mark is given."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [file for file in files if f"@pytest.mark.{mark}(" in file.read_text("utf-8")]


@cache
def all_names(mark: str) -> frozenset[str]:
    """Return every name that a mark gives to any test.

    They are read from the text, and only where they are computed the file is imported, which takes long for all;
    one that needs what is not installed gives none.
    """
    names: set[str] = set()
    for path in files_with(mark):
        place = path.relative_to(ROOT)
        given = [one for one in facts_of(place).marks if one.name == mark]
        names.update(text for one in given for text in one.texts)
        if any(one.is_computed for one in given):
            names |= _computed_names(mark, ".".join(place.with_suffix("").parts))
    return frozenset(names)


def _computed_names(mark: str, module: str) -> set[str]:
    try:
        tests = vars(import_module(module)).values()
    except pytest.skip.Exception:  # what it needs is not installed here
        return set()
    marks = [one for test in tests for one in getattr(test, "pytestmark", ())]
    return {str(name) for one in marks if one.name == mark for name in one.args}
