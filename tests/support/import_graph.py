"""Which file of the repository imports which, from the facts of its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.support.facts import Import
from tests.support.sources import GENERATED, ROOT, facts_of


def module_of(path: Path) -> str:
    """Return the dotted name of a module from its path; a package is named as its folder."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def modules_below(root: Path, tops: Iterable[str]) -> dict[str, Path]:
    """Return every module in the top folders by its dotted name, with its path from `root`."""
    paths = (path.relative_to(root) for top in tops for path in sorted((root / top).rglob("*.py")))
    return {module_of(path): path for path in paths}


def is_generated(path: Path) -> bool:
    """Return whether a file was made from a .proto file."""
    return str(path).startswith(GENERATED)


def imported_module(one: Import, known: Mapping[str, Path]) -> str | None:
    """Return the module of the repository that an import executes, or None if it is none of those known."""
    if one.target in known:
        return one.target
    return one.module if one.module in known else None


def imports_between(root: Path, known: Mapping[str, Path]) -> Iterator[tuple[Path, Path, bool]]:
    """Yield each import of a known module by another: both paths, and whether it is executed at load."""
    for path in known.values():
        for one in facts_of(path if root == ROOT else root / path).imports:
            name = imported_module(one, known)
            if name is not None:
                yield path, known[name], one.at_load
