"""The sources of the repository: where they are, what is in them, which imports which, and the errors they define.

The facts of a file are read once in a process, when a test asks for them and not when the tests are collected: every
process that shares the tests collects all.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.support.facts import Facts, Import, read_facts

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("arena/v1", "arena/games")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def sources_below(*tops: str) -> list[Path]:
    """Every file of Python below these folders, from the root of the repository, in the order of the paths."""
    return sorted(path.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*.py"))


def text_of(path: Path) -> str:
    """What is in a file; a relative path is one from the root of the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def facts_of(path: Path) -> Facts:
    """What the checks of the tree ask about a file. Of a test, nobody asks what its functions do."""
    return read_facts(text_of(path), outline=path.parts[0] == "tests")


def statements_of(path: Path) -> Iterator[ast.AST]:
    """Every statement of a file, however deep, for what no fact tells; the file is parsed anew each time."""
    waiting: list[ast.AST] = [ast.parse(text_of(path))]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for block in _BLOCKS for child in getattr(node, block, ())]


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


CLIENTS = "arena.rpc."
"""What a client makes of an answer has reasons that services gave."""
PRODUCT = ("arena", "engine", "ratings")
MIGRATIONS = "ratings.store.migrations"


@cache
def error_classes() -> tuple[type[BaseException], ...]:
    """Return every class of exceptions that a module of the product defines, but where a package is not installed."""
    for name, path in modules_below(ROOT, PRODUCT).items():
        if not is_generated(path) and path.name != "__main__.py" and not name.startswith(MIGRATIONS):
            try:
                importlib.import_module(name)
            except ImportError:
                continue
    ours = (kind for kind in _below(BaseException) if kind.__module__.partition(".")[0] in PRODUCT)
    return tuple(sorted(set(ours), key=name_of))


def told_errors() -> list[BaseException]:
    """Return an error of each class that carries a reason, which a service tells its clients."""
    kinds = [kind for kind in error_classes() if not kind.__module__.startswith(CLIENTS)]
    told = (kind for kind in kinds if isinstance(reason := getattr(kind, "reason", None), str) and reason)
    return [kind.__new__(kind) for kind in told]


def name_of(kind: type[BaseException]) -> str:
    """Return the dotted name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _below(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
