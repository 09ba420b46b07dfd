"""The sources of the repository: where they are, and what is in them.

The facts of a file are read once in a process, when a test asks for them and not when the tests are collected: every
process that shares the tests collects all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.facts import Facts, read_facts

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
