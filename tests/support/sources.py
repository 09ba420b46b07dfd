"""The sources of the repository, each read and parsed once in a process, for the tests of their structure.

A file is parsed when a test asks for it, not when the tests are collected: every process that shares them collects all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("arena/v1", "arena/games")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources_below(*tops: str) -> list[Path]:
    """Every file of Python below these folders, from the root of the repository, in the order of the paths."""
    return sorted(path.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*.py"))


@cache
def text_of(path: Path) -> str:
    """What is in a file; a relative path is one from the root of the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """The file, parsed. Nobody changes what is returned."""
    return ast.parse(text_of(path))


@cache
def statements_of(path: Path) -> tuple[ast.AST, ...]:
    """The module and every statement in it, however deep; expressions hold none."""
    return tuple(_statements(tree_of(path), at_load=False))


@cache
def loaded_statements_of(path: Path) -> tuple[ast.AST, ...]:
    """The statements that are run when a file is imported: no body of a function, and nothing for types alone."""
    return tuple(_statements(tree_of(path), at_load=True))


def _statements(tree: ast.Module, *, at_load: bool) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if at_load and (isinstance(node, _Function) or _is_for_types(node)):
            continue
        yield node
        waiting += [child for block in _BLOCKS for child in getattr(node, block, ())]


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
