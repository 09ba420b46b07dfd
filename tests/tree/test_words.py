"""What a reader meets in every file: docstrings that say what holds, files of a readable size, names of one meaning."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.support.facts import Method
from tests.support.reporting import report
from tests.support.sources import ROOT, facts_of, imports_between, is_generated, modules_below, sources_below

TOPS = ("arena", "bots", "engine", "ratings", "benchmarks", "examples", "tools")
MIGRATIONS = "ratings/store/migrations"
PRODUCT = ("arena", "bots", "engine", "ratings")
LONGEST_FILE = 600
LONGEST_NOUN = 800
NOUNS = ("arena/app/", "arena/cli/nouns/")
"""Where a file holds all that can be asked about one noun."""
SMALL = 80
"""A module of fewer lines that one module of its own folder imports is a part of that one, unless there is a reason."""
REASONS = Path(__file__).with_name("reasons.toml")
"""Why a small module stands alone, and why a class name stands for several things; either list only grows shorter."""

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
        longest = LONGEST_NOUN if str(path).startswith(NOUNS) else LONGEST_FILE
        if lines > longest and not str(path).startswith(MIGRATIONS):
            yield f"{lines} lines, at most {longest}"

    report(wrong(sources(), faults))


def test_a_small_module_stands_alone_only_for_a_reason() -> None:
    small = {str(path): str(importer) for path, importer in small_modules()}
    listed = reasons()["small_modules"]
    report(f"{path}: fold it into {importer}" for path, importer in small.items() if path not in listed)
    report(f"{path} is no small module any more; take it off the list" for path in listed.keys() - small.keys())


def test_a_public_class_name_stands_for_one_thing() -> None:
    many = {name: files for name, files in files_by_class().items() if len(files) > 1}
    listed = reasons()["class_names"]
    report(f"{name} is {len(files)} things: {', '.join(files)}" for name, files in many.items() if name not in listed)
    report(f"{name} is one thing now; take it off the list" for name in listed.keys() - many.keys())


def reasons() -> dict[str, dict[str, str]]:
    return tomllib.loads(REASONS.read_text(encoding="utf-8"))


def product_sources() -> list[Path]:
    return [path for path in sources_below(*PRODUCT) if not is_generated(path) and MIGRATIONS not in str(path)]


def small_modules() -> Iterator[tuple[Path, Path]]:
    """Every small module that one other module of the product imports, which lies in the same folder, with that one."""
    known = modules_below(ROOT, PRODUCT)
    importers: defaultdict[Path, set[Path]] = defaultdict(set)
    for importer, target, _ in imports_between(ROOT, known):
        if importer != target:
            importers[target].add(importer)
    for path in product_sources():
        if path.name != "__init__.py" and facts_of(path).lines < SMALL and len(importers[path]) == 1:
            (importer,) = importers[path]
            if importer.parent == path.parent:
                yield path, importer


def files_by_class() -> dict[str, list[str]]:
    """The files that define a public class of each name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in product_sources():
        for kind in facts_of(path).classes:
            if kind.is_at_top and not kind.name.startswith("_"):
                found[kind.name].add(str(path))
    return {name: sorted(files) for name, files in found.items()}


def test_a_package_says_in_a_line_or_two_what_it_is_for_and_defines_nothing() -> None:
    def faults(path: Path) -> Iterator[str]:
        facts = facts_of(path)
        if not facts.documentation:
            yield "an __init__.py says what the room is for, and what must never be in it"
        elif len(facts.documentation.splitlines()) > 3:
            yield "more than three lines"
        if [one.name for one in facts.definitions if one.name != "__all__"]:
            yield "an __init__.py may give its package a public face: imports and __all__, nothing else"

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
