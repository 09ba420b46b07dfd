"""Nothing imports itself on a way round.

Looked at in two ways. At every level of the tree, files and folders stand above what they import when they are loaded,
a folder being one room with everything below it. And the folders of the whole tree do so, a folder being the files
directly in it; there an import inside a function, or for types alone, counts too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.reporting import report
from tests.support.sources import ROOT, imports_between, is_generated, modules_below

TOPS = ("arena", "benchmarks", "bots", "engine", "ratings", "tests", "examples")
# Generated code stands below everything: the one thing of `arena` that the wire of a game in `engine` imports.

ABOVE = ("arena/adapters",)
"""Rooms that count as top folders of their own: they bring the bots' code together with that of the arena."""


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
def all_edges(root: Path) -> list[tuple[Path, Path, bool]]:
    """Every import of one file of the repository by another, and whether it is executed at load."""
    known = {name: path for name, path in modules_below(root, TOPS).items() if not is_generated(path)}
    return list(dict.fromkeys(imports_between(root, known)))


def edges_of(root: Path, *, at_load: bool = False) -> list[tuple[Path, Path]]:
    """Every import of one file of the repository by another; with `at_load` only what its own import needs."""
    return [(importer, target) for importer, target, loads in all_edges(root) if loads or not at_load]


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
    report(circles(ROOT))


def test_no_folders_import_one_another_in_a_circle() -> None:
    report(folder_circles(ROOT))


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
