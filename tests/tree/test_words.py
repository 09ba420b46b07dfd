"""What a reader meets in every file: docstrings that say what holds, and files and functions of a readable size."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.support.facts import Method
from tests.support.import_graph import is_generated
from tests.support.reporting import report
from tests.support.sources import facts_of, sources_below

TOPS = ("arena", "bots", "engine", "ratings", "benchmarks", "examples", "tools")
MIGRATIONS = "ratings/store/migrations"
LONGEST_FILE = 300
LONGEST_MEDIAN = 8

# The package of a game holds its manual and the game.
GAMES = ("engine/games/", "examples/")


@cache
def sources() -> tuple[Path, ...]:
    return tuple(path for path in sources_below(*TOPS) if not is_generated(path))


def packages() -> list[Path]:
    return [path for path in sources() if path.name == "__init__.py" and not str(path.parent).startswith(GAMES)]


def wrong(paths: Iterable[Path], faults_of: Callable[[Path], Iterator[str]]) -> list[str]:
    """A line for each fault of these files; a test of all files at once costs a hundredth of one test for each."""
    return [f"{path}: {fault}" for path in paths for fault in faults_of(path)]


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """Every docstring of a file with the name of what it describes."""
    facts = facts_of(path)
    if facts.documentation is not None:
        yield path.name, facts.documentation
    yield from facts.docstrings


@cache
def documented_methods() -> frozenset[str]:
    """The names of the methods that some class of ours documents: an interface, mostly."""
    methods = (method for path in sources() for kind in facts_of(path).classes for method in kind.methods)
    return frozenset(method.name for method in methods if method.is_documented)


def public_methods(path: Path) -> Iterator[tuple[str, Method]]:
    """Every public method of a public class of a file, with the name of the class."""
    for kind in facts_of(path).classes:
        if not kind.name.startswith("_"):
            yield from ((kind.name, method) for method in kind.methods if not method.name.startswith("_"))


def test_the_sources_are_found() -> None:
    assert len(sources()) > 700
    assert len(packages()) > 50


def test_a_file_is_short_enough_to_be_read() -> None:
    def faults(path: Path) -> Iterator[str]:
        lines = facts_of(path).lines
        if lines > LONGEST_FILE and not str(path).startswith(MIGRATIONS):
            yield f"{lines} lines"

    report(wrong(sources(), faults))


def test_a_package_says_in_a_line_or_two_what_it_is_for_and_nothing_else() -> None:
    def faults(path: Path) -> Iterator[str]:
        text = facts_of(path).documentation
        if not text:
            yield "an __init__.py is a docstring: what the room is for, and what must never be in it"
        elif len(text.splitlines()) > 3:
            yield "more than three lines"
        if facts_of(path).statements != 1:
            yield "nothing is imported or defined in an __init__.py"

    report(wrong(packages(), faults))


def test_no_docstring_only_points_elsewhere() -> None:
    def faults(path: Path) -> Iterator[str]:
        return (name for name, text in documented(path) if text.startswith("See ") and len(text) < 80)

    report(wrong(sources(), faults))


def test_a_docstring_is_a_sentence() -> None:
    def faults(path: Path) -> Iterator[str]:
        for name, text in documented(path):
            first = text.split("\n\n")[0].rstrip()
            if first[-1:] not in tuple(".:?`)") or len(first.split()) < 3:
                yield f"{name}: {first}"

    report(wrong(sources(), faults))


def test_every_public_method_has_a_docstring_unless_an_interface_of_ours_has_it() -> None:
    known = documented_methods()

    def faults(path: Path) -> Iterator[str]:
        for name, method in public_methods(path):
            if method.name not in known and not method.is_documented:
                yield f"{name}.{method.name}"

    report(wrong(sources(), faults))


def test_functions_are_short() -> None:
    medians = {top: median_length(top) for top in ("arena", "bots", "engine", "ratings")}
    report({top: median for top, median in medians.items() if median >= LONGEST_MEDIAN})


def median_length(top: str) -> float:
    return statistics.median(lines for path in sources() if path.parts[0] == top for lines in facts_of(path).functions)
