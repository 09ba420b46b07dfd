"""What a reader meets in every file: docstrings that say what holds, and files and functions of a readable size."""

import ast
import statistics
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.sources import GENERATED, sources_below, statements_of, text_of, tree_of

TOPS = ("arena", "bots", "engine", "ratings", "benchmarks", "examples", "tools")
MIGRATIONS = "ratings/store/migrations"
LONGEST_FILE = 300
LONGEST_MEDIAN = 8

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function

SOURCES = [path for path in sources_below(*TOPS) if not str(path).startswith(GENERATED)]
# The package of a game holds its manual and the game.
GAMES = ("engine/games/", "examples/")
PACKAGES = [path for path in SOURCES if path.name == "__init__.py" and not str(path.parent).startswith(GAMES)]


def wrong(paths: list[Path], faults_of: Callable[[Path], Iterator[str]]) -> list[str]:
    """A line for each fault of these files; a test of all files at once costs a hundredth of one test for each."""
    return [f"{path}: {fault}" for path in paths for fault in faults_of(path)]


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """Every docstring of a file with the name of what it describes."""
    for node in statements_of(path):
        if isinstance(node, Documented):
            text = ast.get_docstring(node)
            if text is not None:
                yield getattr(node, "name", path.name), text


@cache
def documented_methods() -> set[str]:
    """The names of the methods that some class of ours documents: an interface, mostly."""
    classes = (node for path in SOURCES for node in statements_of(path) if isinstance(node, ast.ClassDef))
    methods = (member for node in classes for member in node.body if isinstance(member, Function))
    return {method.name for method in methods if ast.get_docstring(method)}


def public_methods(path: Path) -> Iterator[tuple[str, Function]]:
    """Every public method of a public class of a file, with the name of the class."""
    for node in statements_of(path):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, Function) and not member.name.startswith("_"):
                    yield node.name, member


def test_the_sources_are_found() -> None:
    assert len(SOURCES) > 700
    assert len(PACKAGES) > 50


def test_a_file_is_short_enough_to_be_read() -> None:
    def faults(path: Path) -> Iterator[str]:
        lines = len(text_of(path).splitlines())
        if lines > LONGEST_FILE and not str(path).startswith(MIGRATIONS):
            yield f"{lines} lines"

    assert wrong(SOURCES, faults) == []


def test_a_package_says_in_a_line_or_two_what_it_is_for_and_nothing_else() -> None:
    def faults(path: Path) -> Iterator[str]:
        text = ast.get_docstring(tree_of(path))
        if not text:
            yield "an __init__.py is a docstring: what the room is for, and what must never be in it"
        elif len(text.splitlines()) > 3:
            yield "more than three lines"
        if len(tree_of(path).body) != 1:
            yield "nothing is imported or defined in an __init__.py"

    assert wrong(PACKAGES, faults) == []


def test_no_docstring_only_points_elsewhere() -> None:
    def faults(path: Path) -> Iterator[str]:
        return (name for name, text in documented(path) if text.startswith("See ") and len(text) < 80)

    assert wrong(SOURCES, faults) == []


def test_a_docstring_is_a_sentence() -> None:
    def faults(path: Path) -> Iterator[str]:
        for name, text in documented(path):
            first = text.split("\n\n")[0].rstrip()
            if first[-1:] not in tuple(".:?`)") or len(first.split()) < 3:
                yield f"{name}: {first}"

    assert wrong(SOURCES, faults) == []


def test_every_public_method_has_a_docstring_unless_an_interface_of_ours_has_it() -> None:
    known = documented_methods()

    def faults(path: Path) -> Iterator[str]:
        for name, method in public_methods(path):
            if method.name not in known and not ast.get_docstring(method):
                yield f"{name}.{method.name}"

    assert wrong(SOURCES, faults) == []


@pytest.mark.parametrize("top", ["arena", "bots", "engine", "ratings"])
def test_functions_are_short(top: str) -> None:
    lengths = [
        node.end_lineno - node.lineno + 1
        for path in SOURCES
        if path.parts[0] == top
        for node in statements_of(path)
        if isinstance(node, Function) and node.end_lineno is not None
    ]
    assert statistics.median(lengths) < LONGEST_MEDIAN
