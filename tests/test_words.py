"""What a reader meets in every file: docstrings that say what holds, and files and functions of a readable size."""

import ast
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("arena", "bots", "engine", "ratings", "benchmarks", "examples", "tools")
GENERATED = ("arena/v1", "arena/games")
MIGRATIONS = "ratings/store/migrations"
LONGEST_FILE = 300
LONGEST_MEDIAN = 8

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file of ours, read and parsed."""

    path: Path
    lines: int
    tree: ast.Module


def read_sources(*tops: str) -> list[Source]:
    """Every file below these folders but generated code, in the order of the paths."""
    found = []
    for path in sorted(path for top in tops for path in (ROOT / top).rglob("*.py")):
        place = path.relative_to(ROOT)
        if not str(place).startswith(GENERATED):
            text = path.read_text(encoding="utf-8")
            found.append(Source(place, len(text.splitlines()), ast.parse(text)))
    return found


SOURCES = read_sources(*TOPS)
# The package of a game holds its manual and the game.
GAMES = ("engine/games/", "examples/")
PACKAGES = [
    source for source in SOURCES if source.path.name == "__init__.py" and not str(source.path.parent).startswith(GAMES)
]


def documented(source: Source) -> Iterator[tuple[str, str]]:
    """Every docstring of a file with the name of what it describes."""
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text is not None:
                yield getattr(node, "name", source.path.name), text


@cache
def documented_methods() -> set[str]:
    """The names of the methods that some class of ours documents: an interface, mostly."""
    classes = (node for source in SOURCES for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))
    methods = (member for node in classes for member in node.body if isinstance(member, Function))
    return {method.name for method in methods if ast.get_docstring(method)}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.path))
def test_a_file_is_short_enough_to_be_read(source: Source) -> None:
    assert source.lines <= LONGEST_FILE or str(source.path).startswith(MIGRATIONS)


@pytest.mark.parametrize("source", PACKAGES, ids=lambda source: str(source.path.parent))
def test_a_package_says_in_a_line_or_two_what_it_is_for_and_nothing_else(source: Source) -> None:
    text = ast.get_docstring(source.tree)
    assert text, "an __init__.py is a docstring: what the room is for, and what must never be in it"
    assert len(text.splitlines()) <= 3
    assert len(source.tree.body) == 1, "nothing is imported or defined in an __init__.py"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.path))
def test_no_docstring_only_points_elsewhere(source: Source) -> None:
    assert not [name for name, text in documented(source) if text.startswith("See ") and len(text) < 80]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.path))
def test_a_docstring_is_a_sentence(source: Source) -> None:
    for name, text in documented(source):
        first = text.split("\n\n")[0].rstrip()
        assert first[-1] in ".:?`)", f"{name}: {first}"
        assert len(first.split()) >= 3, f"{name}: {first}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.path))
def test_every_public_method_has_a_docstring_unless_an_interface_of_ours_has_it(source: Source) -> None:
    known = documented_methods()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for method in node.body:
                if isinstance(method, Function) and not method.name.startswith("_") and method.name not in known:
                    assert ast.get_docstring(method), f"{node.name}.{method.name}"


@pytest.mark.parametrize("top", ["arena", "bots", "engine", "ratings"])
def test_functions_are_short(top: str) -> None:
    lengths = [
        node.end_lineno - node.lineno + 1
        for source in SOURCES
        if source.path.parts[0] == top
        for node in ast.walk(source.tree)
        if isinstance(node, Function) and node.end_lineno is not None
    ]
    assert statistics.median(lengths) < LONGEST_MEDIAN
