"""Nothing imports itself on a way round.

Looked at in two ways. At every level of the tree, files and folders stand above what they import when they are loaded,
a folder being one room with everything below it. And the folders of the whole tree do so, a folder being the files
directly in it; there an import inside a function, or for types alone, counts too.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.sources import GENERATED, ROOT, loaded_statements_of, statements_of

TOPS = ("arena", "benchmarks", "bots", "engine", "ratings", "tests", "examples")
# Generated code stands below everything: the one thing of `arena` that the wire of a game in `engine` imports.

ABOVE = ("arena/adapters",)
"""Rooms that count as top folders of their own: they bring the bots' code together with that of the arena."""


def modules_below(root: Path) -> dict[str, Path]:
    """Every module of the repository by its dotted name, with its path from `root`."""
    paths = (path.relative_to(root) for top in TOPS for path in sorted((root / top).rglob("*.py")))
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imported(module: Path, known: Mapping[str, Path], *, at_load: bool = False) -> Iterator[str]:
    """The modules of the repository that a file imports; with `at_load` only what its own import needs."""
    for node in loaded_statements_of(module) if at_load else statements_of(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in known:
                    yield name
                elif node.module in known:
                    yield node.module


def parting(importer: Path, target: Path) -> tuple[Path, str, str]:
    """The deepest folder that holds both, and what each is, or lies in, directly below that."""
    depth = 0
    while importer.parts[depth] == target.parts[depth]:
        depth += 1
    if depth == 0:
        return Path(), top_of(importer), top_of(target)
    return Path(*importer.parts[:depth]), importer.parts[depth], target.parts[depth]


def top_of(path: Path) -> str:
    """The top folder that a file lies in."""
    return next((room for room in ABOVE if path.is_relative_to(room)), path.parts[0])


@cache
def edges_of(root: Path, *, at_load: bool = False) -> list[tuple[Path, Path]]:
    """Every import of one file of the repository by another."""
    known = modules_below(root)
    return [
        (path, known[name])
        for path in known.values()
        if not str(path).startswith(GENERATED)
        for name in imported(root / path, known, at_load=at_load)
        if not str(known[name]).startswith(GENERATED)
    ]


def circles(root: Path) -> list[str]:
    """One line for every folder whose files and folders import one another in a circle."""
    graphs: dict[Path, dict[str, set[str]]] = {}
    for importer, target in edges_of(root, at_load=True):
        if importer != target:
            folder, above, below = parting(importer, target)
            graphs.setdefault(folder, {}).setdefault(above, set()).add(below)
    return [f"{folder}: {line}" for folder in sorted(graphs) for line in circle_in(graphs[folder])]


def folder_circles(root: Path) -> list[str]:
    """One line if folders, each being the files directly in it, import one another in a circle."""
    graph: dict[str, set[str]] = {}
    for importer, target in edges_of(root):
        if importer.parent != target.parent:
            graph.setdefault(str(importer.parent), set()).add(str(target.parent))
    return circle_in(graph)


def circle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """The first circle of a graph in words; nothing if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" <- ".join(error.args[1])]
    return []


def test_no_neighbours_import_one_another_in_a_circle() -> None:
    assert circles(ROOT) == []


def test_no_folders_import_one_another_in_a_circle() -> None:
    assert folder_circles(ROOT) == []


def test_tests_and_benchmarks_are_no_circle_because_no_test_imports_a_benchmark() -> None:
    edges = edges_of(ROOT)
    assert not [edge for edge in edges if (edge[0].parts[0], edge[1].parts[0]) == ("tests", "benchmarks")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("engine/above.py", "engine/below.py"),
        ("engine/room/above.py", "engine/below.py"),
        ("engine/room/inner/above.py", "engine/other/below.py"),
    ],
)
def test_a_circle_would_be_found(tmp_path: Path, first: str, second: str) -> None:
    for name, other in ((first, second), (second, first)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"import {other.removesuffix('.py').replace('/', '.')}\n", encoding="utf-8")
    (line,) = circles(tmp_path)
    assert line.startswith("engine: ")


def test_a_circle_of_a_folder_and_what_it_contains_would_be_found(tmp_path: Path) -> None:
    for name, other in (("state", "room.rules"), ("room/rules", "board"), ("board", "")):
        path = tmp_path / "engine" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"import engine.{other}\n" if other else "", encoding="utf-8")
    assert circles(tmp_path) == []
    assert folder_circles(tmp_path) != []
