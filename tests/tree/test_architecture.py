"""Keeps docs/architecture.md true: every file, folder and function that it names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.reporting import report
from tests.support.sources import ROOT, facts_of, is_generated, sources_below, text_of

PAGE = Path("docs/architecture.md")
UNTOLD = ("ratings/store/migrations",)
PLACE = re.compile(
    r"`(?P<path>(?:arena|engine|bots|ratings|proto|tests|benchmarks|examples|docs)/[\w./<>*-]*)(?::(?P<name>[\w.]+))?`"
)


def places() -> list[tuple[str, str | None]]:
    """Every file or folder that the page names, and what it names in it."""
    return sorted({(match["path"], match["name"]) for match in PLACE.finditer(text_of(PAGE))}, key=str)


def definitions(path: Path) -> Iterator[str]:
    """The classes, functions and methods of a file, a method as `Class.method`, and the names it assigns."""
    facts = facts_of(path)
    yield from (one.name for one in facts.definitions)
    yield from (f"{kind.name}.{method.name}" for kind in facts.classes if kind.is_at_top for method in kind.methods)


def fault_of(path: str, name: str | None) -> str | None:
    # A `<game>` stands for the folder of any game.
    file = Path(path.replace("<game>", "foreign_king"))
    if not (ROOT / file).exists():
        return f"there is no {path}"
    return f"{path} defines no {name}" if name is not None and name not in definitions(file) else None


def test_the_page_follows_a_decision_a_result_and_a_block_through_the_files() -> None:
    assert len([name for _, name in places() if name]) > 30


def test_what_the_page_names_exists() -> None:
    report(fault for path, name in places() if (fault := fault_of(path, name)))


def test_every_folder_of_the_product_stands_on_the_page_or_lies_in_one_that_does() -> None:
    text = text_of(PAGE)
    packages = {path.parent for path in sources_below("arena", "ratings") if path.name == "__init__.py"}
    told = {package for package in packages if f"`{package}/" in text}
    rooms = {package for package in packages if len(package.parts) == 2 and not is_generated(package)}
    assert rooms <= told
    assert {package for package in packages if package.parent in rooms} <= told | set(map(Path, UNTOLD))
