"""Keeps docs/architecture.md true: every file, folder and function that it names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/architecture.md"
GENERATED = ("arena/games", "arena/v1")
UNTOLD = ("ratings/store/migrations",)
PLACE = re.compile(
    r"`(?P<path>(?:arena|engine|bots|ratings|proto|tests|benchmarks|examples|docs)/[\w./<>*-]*)(?::(?P<name>[\w.]+))?`"
)
PLACES = sorted({(match["path"], match["name"]) for match in PLACE.finditer(PAGE.read_text(encoding="utf-8"))}, key=str)


def definitions(path: Path) -> set[str]:
    """The classes, functions and methods of a file, a method as `Class.method`, and the names it assigns."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
            found.update(f"{node.name}.{member.name}" for member in node.body if hasattr(member, "name"))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(target.id for target in targets if isinstance(target, ast.Name))
    return found


def test_the_page_follows_a_decision_a_result_and_a_block_through_the_files() -> None:
    assert len([name for _, name in PLACES if name]) > 30


@pytest.mark.parametrize(("path", "name"), PLACES)
def test_what_the_page_names_exists(path: str, name: str | None) -> None:
    # A `<game>` stands for the folder of any game.
    file = ROOT / path.replace("<game>", "foreign_king")
    assert file.exists(), path
    if name is not None:
        assert name in definitions(file), f"{path} defines no {name}"


def test_every_folder_of_the_product_stands_on_the_page_or_lies_in_one_that_does() -> None:
    text = PAGE.read_text(encoding="utf-8")
    packages = {
        path.parent.relative_to(ROOT) for top in ("arena", "ratings") for path in (ROOT / top).rglob("__init__.py")
    }
    told = {package for package in packages if f"`{package}/" in text}
    rooms = {package for package in packages if len(package.parts) == 2 and str(package) not in GENERATED}
    assert rooms <= told
    assert {package for package in packages if package.parent in rooms} <= told | set(map(Path, UNTOLD))
